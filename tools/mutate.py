#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutation check: makes random one-token mutants of source files and lists those no test notices.

    tools/mutate.py [--seed S] [--count N] [--build DIR] [--tests PATTERN] FILE...

FILE is a source of the library (src/). A mutant has one operator, constant or index changed, one
condition negated or one call deleted. DIR is a build directory with tests in which everything has
been built (build/valgrind: assertions and red zones); its commands compile and link. The library is
linked as a shared one, so that a mutant costs one compilation; the test programs, and then the tests
of the tool, run until one fails. Mutants whose machine code does not change are skipped. Survivors
are either equivalent or holes in the tests. Exit status 1 if there are any.
"""
import argparse
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
JOBS = 2

RELATIONS = ['<', '<=', '>', '>=', '==', '!=']
SWAPS = {'+': '-', '-': '+', '*': '/', '/': '*', '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=',
         '&&': '||', '||': '&&', '++': '--', '--': '++'}
TOKEN = re.compile(r'''
    (?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<number>\b(?:0x[0-9a-fA-F]+|\d+\.?\d*(?:[eE][+-]?\d+)?)[uUlLfF]*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<operator><<=|>>=|->|\+\+|--|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|<<|>>|[-+*/<>=!&|%^~?:;,.(){}\[\]])
''', re.X | re.S | re.M)


def tokens(text):
    """(kind, text, place) of all tokens; comments, strings and the preprocessor are left out."""
    return [(m.lastgroup, m.group(), m.start()) for m in TOKEN.finditer(text)
            if m.lastgroup != 'skip']


def is_operand(token):
    return token[0] in ('number', 'word') and token[1] != 'return' or token[1] in (')', ']')


def changed_number(text):
    if re.fullmatch(r'\d+', text):
        return str(int(text) + 1)
    return f'({text} * 2)'


def token_edits(found):
    """(place, length, new text) of operators, numbers and indices."""
    for i, (kind, text, at) in enumerate(found):
        before = found[i - 1] if i else ('', '', 0)
        if kind == 'operator' and text in RELATIONS:
            for other in RELATIONS:
                if other != text:
                    yield at, len(text), other
        elif kind == 'operator' and text in SWAPS and (is_operand(before) or text in ('++', '--')):
            # a declaration's star stands behind a type
            if text != '*' or before[0] == 'number' or before[1] in (')', ']') or \
                    found[i + 1][2] - at > 1:
                yield at, len(text), SWAPS[text]
        elif kind == 'number':
            yield at, len(text), changed_number(text)
        elif text == '[' and is_operand(before) and found[i + 2][1] == ']':
            index = found[i + 1]
            if index[0] == 'word':
                yield index[2], len(index[1]), f'{index[1]} + 1'


def line_edits(text):
    """Deleted calls, deleted assignments, negated conditions: all on one line."""
    for m in re.finditer(r'^ +(\w+)\((?:[^;{}"]|"[^"]*")*\);$', text, re.M):
        if m.group(1) not in ('return', 'if', 'while', 'for', 'switch', 'sizeof'):
            yield m.start(), len(m.group()), ';'
    for m in re.finditer(r'^ +[\w>.\[\]*-]+ [-+*/]?= [^;{}]*;$', text, re.M):
        yield m.start(), len(m.group()), ';'
    for m in re.finditer(r'\b(?:if|while) (\(.*\))(?= (?:\{|\w[^\n]*;)$)', text, re.M):
        if m.group(1).count('(') == m.group(1).count(')'):
            yield m.start(1), len(m.group(1)), f'(!{m.group(1)})'


def edits(path):
    text = path.read_text()
    return [(path, *e) for e in [*token_edits(tokens(text)), *line_edits(text)]]


def test_name(path):
    """The name of a test as ctest has it: tests/run/test_events.c is run_events."""
    name = '_'.join(path.relative_to(ROOT / 'tests').with_suffix('').parts)
    return name.replace('_test_', '_').replace('tool_commands_', 'tool_')


class Build:
    """All objects of the library once; then one of them, the library, and the tests that use it."""

    def __init__(self, folder, work, pattern):
        self.folder, self.work = folder, work
        self.commands = {}
        for entry in json.loads((folder / 'compile_commands.json').read_text()):
            if Path(entry['file']).is_relative_to(ROOT / 'src'):
                self.commands.setdefault(Path(entry['file']), entry)
        with ThreadPoolExecutor(JOBS) as pool:
            done = list(pool.map(lambda f: self.compile(f, f, self.object_of(f)), self.commands))
        if not all(done):
            wrong = [str(f) for f, code in zip(self.commands, done) if not code]
            sys.exit(f'mutate: these do not compile: {", ".join(wrong)}')
        self.library = work / 'libmutant.so'
        self.link_library()
        tests = ROOT / 'tests'
        names = [test_name(f) for f in sorted(tests.rglob('test_*.c'))]
        self.programs = [self.link(n, n) for n in names
                         if pattern.search(n) and self.link_file(n).exists()]
        scripts = {test_name(f): f for f in sorted((tests / 'tool/commands').glob('test_*.sh'))}
        self.scripts = {n: f for n, f in scripts.items() if pattern.search(n)}
        self.tool = self.link('genalpha_tool', 'genalpha') if self.scripts else None

    def object_of(self, source):
        return self.work / (str(source.relative_to(source.anchor)).replace('/', '_') + '.o')

    def compile(self, source, text_from, out):
        """Machine code of a source, or of a changed copy of it; None if it does not compile."""
        entry = self.commands[source]
        command = [a for a in shlex.split(entry['command'])
                   if a not in ('-Werror', '-fvisibility=hidden', '-g')]
        command[command.index('-o') + 1] = str(out)
        command[command.index('-c') + 1] = str(text_from)
        command += ['-fPIC', '-w', f'-I{source.parent}']
        done = subprocess.run(command, cwd=entry['directory'], capture_output=True)
        return out.read_bytes() if done.returncode == 0 else None

    def link_file(self, target):
        return self.folder / f'CMakeFiles/{target}.dir/link.txt'

    def link_library(self):
        link = shlex.split(self.link_file('genalpha_tool').read_text())
        libraries = [a for a in link[link.index('-o') + 2:]
                     if not a.endswith('.a') and not a.startswith('-Wl,')]
        objects = [str(self.object_of(f)) for f in self.commands]
        subprocess.run(['cc', '-shared', '-o', str(self.library), *objects, *libraries], check=True)

    def link(self, target, name):
        """A program of the build directory, with the shared library instead of the objects in it."""
        program = self.work / name
        command = shlex.split(self.link_file(target).read_text())
        command = [str(self.library) if a == 'libgenalpha.a' else a for a in command
                   if '/genalpha_objects.dir/' not in a]
        command[command.index('-o') + 1] = str(program)
        command += [str(self.library), f'-Wl,-rpath,{self.work}', '-lpthread']
        if subprocess.run(command, cwd=self.folder).returncode:
            sys.exit(f'mutate: {target} cannot be linked; build all of {self.folder} first')
        return program

    def tests(self):
        """(name, command) of all tests."""
        return [(p.name, [str(p)]) for p in self.programs] + \
               [(n, ['sh', str(f), str(self.tool)]) for n, f in self.scripts.items()]


def run(command, limit):
    """Seconds a test took, None if it failed or took too long."""
    began = time.monotonic()
    environment = dict(os.environ, OPENBLAS_NUM_THREADS='1')
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, env=environment,
                              cwd=tempfile.gettempdir())
    except subprocess.TimeoutExpired:
        return None
    return time.monotonic() - began if done.returncode in (0, 77) else None


def killer(build, source, seconds):
    """The first test that notices the mutant, None if none does: near ones first, then quick ones."""
    order = sorted(build.tests(), key=lambda t: (source.stem not in t[0], seconds[t[0]]))
    with ThreadPoolExecutor(JOBS) as pool:
        for i in range(0, len(order), JOBS):
            pair = order[i:i + JOBS]
            limits = [5 + 5 * seconds[name] for name, _ in pair]
            for (name, _), took in zip(pair, pool.map(run, [c for _, c in pair], limits)):
                if took is None:
                    return name
    return None


def describe(path, at, length, new):
    text = path.read_text()
    line = text.count('\n', 0, at) + 1
    begin, end = text.rfind('\n', 0, at) + 1, text.find('\n', at + length)
    after = text[begin:at] + new + text[at + length:end]
    return f'{path.relative_to(ROOT)}:{line}: {text[begin:end].strip()}\n    -> {after.strip()}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--count', type=int, default=20, help='mutants to make')
    parser.add_argument('--build', type=Path, default=ROOT / 'build/valgrind',
                        help='a build directory in which everything has been built')
    parser.add_argument('--tests', type=re.compile, default=re.compile(''), metavar='PATTERN',
                        help='only tests whose names match; by default all')
    parser.add_argument('files', nargs='+', type=Path)
    args = parser.parse_args()
    chosen = random.Random(args.seed)
    pool = [e for f in sorted(args.files) for e in edits(f.resolve())]
    chosen.shuffle(pool)
    if not all(f.resolve().is_relative_to(ROOT / 'src') for f in args.files):
        sys.exit('mutate: only sources of the library, below src/, can be changed')
    work = Path(tempfile.mkdtemp(prefix='mutate_'))
    survivors, made = [], 0
    try:
        build = Build(args.build.resolve(), work, args.tests)
        seconds = {name: run(command, 600) for name, command in build.tests()}
        failing = [t for t, took in seconds.items() if took is None]
        if failing:
            sys.exit(f'mutate: without a mutant these fail: {", ".join(failing)}')
        for path, at, length, new in pool:
            if made == args.count:
                break
            text, out = path.read_text(), build.object_of(path)
            copy, kept = work / path.name, out.read_bytes()
            copy.write_text(f'#line 1 "{path}"\n' + text[:at] + new + text[at + length:])
            original = work / ('same_' + path.name)
            original.write_text(f'#line 1 "{path}"\n' + text)
            same = build.compile(path, original, out)
            code = build.compile(path, copy, out)
            if code is not None and code != same:
                made += 1
                build.link_library()
                by = killer(build, path, seconds)
                if by is None:
                    survivors.append(describe(path, at, length, new))
                print(f'{made:3d} {"killed by " + by if by else "SURVIVED"}: '
                      f'{describe(path, at, length, new)}', flush=True)
            out.write_bytes(kept)
    finally:
        shutil.rmtree(work)
    print(f'\nmutate: seed {args.seed}, {made} mutants, {len(survivors)} survivors')
    for survivor in survivors:
        print(survivor)
    return 1 if survivors else 0


if __name__ == '__main__':
    sys.exit(main())
