# SPDX-License-Identifier: MIT
"""The verdict of the JSON Schema about model files is that of the reader.

usage: schema_verdicts.py TOOL SCHEMA GOOD_DIRECTORY BAD_DIRECTORY

Every file of the first directory is read by the tool, so the schema must accept it. Every file of
the second one is refused by the tool. The schema must refuse it as well, unless its fault is one
of meaning, which no schema can see: those faults are listed below by the tool's message.
"""
import json
import pathlib
import re
import subprocess
import sys

import jsonschema
import yaml

# messages about the meaning of expressions, names and numbers
MEANING = [
    r"unknown name",  # in an expression, also of a column
    r"unknown function",
    r"the text ends too early",
    r"a '\)' is missing",
    r"is infinite",
    r"has no value",
    r"the number is too large",
    r"a number, a name or '\(' is expected",
    r"is a parameter that is defined below",
    r"mass -1 is negative",
    r"is not positive semidefinite",
    r"the inertia is not symmetric",
    r"the quaternion has length",
    r"the axis is zero",
    r"the matrix is not a rotation",
    r"there is no body",
    r"is planar and",
    r"the name is used already",
    r"both sides are",
    r"axis is zero",
    r"is neither '.*' nor",
    r"is open by",
    r"moves apart",
    r"are not perpendicular",
    r"type 'revolute' needs axis",  # not between planar bodies
    r"has no coordinate",
    r"there is no column",
    r"is for functions, it is no column",
    r"has neither mass nor a joint",
    r"not a whole number",  # the value of an index
    r"are too many",
    r"is a variable of this function, and a parameter",
    r"lower \(2\) is above upper \(1\)",
    r"stiffness must be positive",
    r"has several coordinates",
    r"free belongs to a stiffness",
]


class Core(yaml.SafeLoader):
    """Scalars as in YAML 1.2, which editors use: `yes` is a text, 1e-3 a number."""


Core.yaml_implicit_resolvers = {}
for tag, first, pattern in (
    ("bool", "tTfF", r"true|True|TRUE|false|False|FALSE"),
    ("null", "~nN", r"~|null|Null|NULL|"),
    ("int", "-+0123456789", r"[-+]?[0-9]+"),
    ("float", "-+.0123456789", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"),
):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^({pattern})$"), list(first))
Core.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^$"), [""])


def unique(loader: Core, node: yaml.MappingNode) -> dict:
    """A map whose keys are texts, each once: as in JSON."""
    keys = [k.value if isinstance(k, yaml.ScalarNode) else None for k, _ in node.value]
    if None in keys or len(set(keys)) < len(keys):
        raise yaml.YAMLError("not a key, or twice")
    return {k.value: loader.construct_object(v, deep=True) for k, v in node.value}


Core.add_constructor("tag:yaml.org,2002:map", unique)
Core.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def fault(validator: jsonschema.Draft202012Validator, path: pathlib.Path) -> str:
    """What the schema finds wrong, or what is not YAML; "" if nothing is."""
    try:
        text = path.read_bytes().decode()
        if re.search(r"[:,{\[]\s*[&*][a-z]", text):
            return "an anchor or alias"  # the reader knows none
        document = yaml.load(text, Core)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return f"not YAML: {error}"
    for error in validator.iter_errors(document):
        return f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
    return ""


def main() -> int:
    tool, schema_path, good, bad = sys.argv[1:]
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    parts = jsonschema.Draft202012Validator({k: v for k, v in schema.items() if k != "anyOf"})
    wrong = checked = meaning = 0
    for path in sorted(pathlib.Path(good).glob("*.yaml")):
        checked += 1
        found = fault(validator, path)
        if found:
            wrong += 1
            print(f"the schema refuses {path.name}: {found}")
    seen = set()
    for path in sorted(pathlib.Path(bad).glob("*.yaml"), key=lambda p: int(p.stem)):
        checked += 1
        run = subprocess.run([tool, "check", path], capture_output=True, text=True, check=False)
        if run.returncode == 0:
            wrong += 1
            print(f"the tool accepts {path.name}:\n{path.read_text()}")
        # most files have no bodies, which is a fault of its own and would hide others
        if fault(validator if "has no bodies" in run.stderr else parts, path):
            continue
        known = [m for m in MEANING if re.search(m, run.stderr)]
        seen.update(known)
        meaning += bool(known)
        if not known:
            wrong += 1
            print(f"the schema accepts {path.name}:\n{path.read_text()}-> {run.stderr}")
    for message in set(MEANING) - seen:
        wrong += 1
        print(f"no file has the fault '{message}'")
    print(f"{checked} files, {meaning} with a fault of meaning, {wrong} wrong verdicts")
    return 1 if wrong or checked < 150 else 0


sys.exit(main())
