# SPDX-License-Identifier: MIT
"""A model file as plain data: dictionaries, lists, numbers and texts, and its form as YAML."""
from __future__ import annotations

import json
import re
import tempfile
from typing import Any, Mapping, Union

import numpy as np

from ._lib import ArgumentError, encoded, failure, ffi, lib, own_text

Node = Union[str, int, float, bool, "list[Node]", "dict[str, Node]"]
Document = dict[str, Any]

# Texts that mean the same with and without quotes, also inside [] and {}.
_PLAIN = re.compile(r"(?!-( |$))[A-Za-z0-9_.+(-][A-Za-z0-9_.+*/^()<>= -]*(?<! )")


def read_text(content: str) -> Document:
    """The tree of a YAML text."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        return read(file.name)


def read(path: str) -> Document:
    """The tree of a YAML file; numbers stay texts, as the library alone knows expressions."""
    err = ffi.new("ga_error *")
    pointer = lib.ga_py_json(encoded(path), err)
    if not pointer:
        raise failure(err.code, ffi.string(err.text).decode("utf-8", "replace"))
    tree = json.loads(own_text(pointer))
    if not isinstance(tree, dict):
        raise failure(lib.GA_ERR_FILE, f"{path}: a model file is a map {{key: value}}")
    return tree


def replaced(document: Document, parameters: Mapping[str, Any]) -> Document:
    """The document with other values of its parameters."""
    if not parameters:
        return document
    own = {key: plain(value, key) for key, value in parameters.items()}
    return {**document, "parameters": {**document.get("parameters", {}), **own}}


def plain(value: Any, where: str) -> Node:
    """A value given in code as data of a model file: arrays become lists, elements their names."""
    name = getattr(value, "name", None)
    if isinstance(value, (str, bool)):
        return value
    if isinstance(value, (int, float)):
        return value
    if isinstance(value, (np.integer, np.floating)):
        return value.item()  # type: ignore[no-any-return]
    if isinstance(name, str):
        return name
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), where)
    if isinstance(value, (list, tuple)):
        return [plain(item, where) for item in value]
    if isinstance(value, dict):
        return {str(plain(key, where)): plain(item, where) for key, item in value.items()}
    raise ArgumentError(
        f"{where}: a number, a text (an expression), a list or a dictionary is expected, not "
        f"{type(value).__name__}"
    )


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int):
        return str(value)
    word = str(value)
    return word if _PLAIN.fullmatch(word) else json.dumps(word, ensure_ascii=False)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def to_yaml(document: Document) -> str:
    """The document as YAML: a line for every entry of a section."""
    lines: list[str] = []
    for key, value in document.items():
        if isinstance(value, dict) and value and key not in ("run", "initial"):
            lines.append(f"{key}:")
            lines += [f"  {_scalar(name)}: {_flow(entry)}" for name, entry in value.items()]
        else:
            lines.append(f"{key}: {_flow(value)}")
    return "\n".join(lines) + "\n"
