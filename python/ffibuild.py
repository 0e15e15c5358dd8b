# SPDX-License-Identifier: MIT
"""Builds genalpha._genalpha, the compiled module of the package.

The declarations are those of the installed headers: the preprocessor expands them, what does not
come from them is dropped. So there is no second list of functions and structures. The code between
Python and the library is glue.c; its declarations for Python stand between two marks in it.
"""
import os
import re
import shlex
import subprocess
import sys

from cffi import FFI

HERE = os.path.dirname(os.path.abspath(__file__))


def pkg_config(*words: str, library: str = "genalpha") -> str:
    """What pkg-config says about an installed library."""
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), *words, library]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except FileNotFoundError:
        sys.exit("genalpha: pkg-config is needed to find the library (Debian: pkg-config)")
    except subprocess.CalledProcessError as error:
        sys.exit(
            "genalpha: pkg-config does not find the library genalpha; install it first (make "
            "install) and say in PKG_CONFIG_PATH where its genalpha.pc is\n" + error.stderr
        )


def has_results() -> bool:
    """Is the library of results (HDF5) installed, too?"""
    command = [os.environ.get("PKG_CONFIG", "pkg-config"), "--exists", "genalpha-results"]
    return subprocess.run(command).returncode == 0


def declarations(include: str, header: str, ours: str) -> str:
    """What the headers that match `ours` declare, as cffi reads it."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    command = [*compiler, "-E", "-I" + include, "-x", "c", "-"]
    text = subprocess.run(
        command, input=f"#include <genalpha/{header}>\n", check=True, capture_output=True, text=True
    ).stdout
    kept, inside = [], False
    for line in text.splitlines():
        mark = re.match(r'# \d+ "([^"]*)"', line)
        if mark:
            inside = re.search(ours, mark.group(1)) is not None
        elif inside:
            kept.append(line)
    plain = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", "\n".join(kept))
    return plain.replace("_Bool", "bool")


def directories() -> list[str]:
    """Directories of headers and libraries, and the prefix."""
    return [os.path.realpath(pkg_config("--variable=" + n)) for n in ("includedir", "libdir", "prefix")]


def make() -> FFI:
    include, libdir, prefix = directories()
    with open(os.path.join(HERE, "glue.c"), encoding="utf-8") as file:
        glue = file.read()
    own = re.search(r"/\* Python sees: \*/\n(.*?)/\* Python sees no more. \*/", glue, re.S)
    assert own
    visible = re.sub(r"/\*.*?\*/", "", own.group(1), flags=re.S)
    ffi = FFI()
    ffi.cdef(declarations(include, "genalpha.h", r"genalpha/(ga_\w+|genalpha)\.h"))
    ffi.cdef(visible)
    ffi.cdef(
        """
        extern "Python" int ga_py_call(void *handle, int which, double t);
        extern "Python" int ga_py_tick(void *handle, double t, long steps);
        extern "Python" double ga_py_event(void *handle, int which, const ga_state *state);
        extern "Python" int ga_py_event_found(void *handle, int which, int sign, const ga_state *state);
        extern "Python" void ga_py_change(void *handle, const ga_contact_change *change);
        extern "Python" void ga_py_log(void *handle, ga_log_level level, const char *text);
        """
    )
    ffi.set_source(
        "genalpha._genalpha",
        f"#define GA_PY_PREFIX {quoted(prefix)}\n" + glue,
        include_dirs=[include],
        library_dirs=[libdir],
        libraries=["genalpha"],
        runtime_library_dirs=[libdir],
    )
    return ffi


def make_results() -> FFI:
    """genalpha._results: the library of results, a module of its own."""
    include, libdir, _ = directories()
    ffi = FFI()
    ffi.cdef(declarations(include, "ga_results.h", r"genalpha/ga_(base|results)\.h"))
    ffi.cdef("ga_status ga_py_append(ga_results_writer *w, const double *rows, long count, int width);")
    ffi.set_source(
        "genalpha._results",
        """
        #include <genalpha/ga_results.h>
        static ga_status ga_py_append(ga_results_writer *w, const double *rows, long count, int width) {
          ga_status status = GA_OK;
          for (long i = 0; i < count && status == GA_OK; i++) status = ga_results_append(w, rows + i * width);
          return status;
        }
        """,
        include_dirs=[include],
        library_dirs=[libdir],
        libraries=["genalpha_results", "genalpha"],
        runtime_library_dirs=[libdir],
    )
    return ffi


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


ffi = make()
results = make_results() if has_results() else None

if __name__ == "__main__":
    ffi.compile(verbose=True)
