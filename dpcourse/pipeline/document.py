"""Reading YAML so that whatever is refused is named with its key and its line.

The document is read as nodes, which know where they stand, and never turned into Python objects by itself: no tag can
construct anything.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from typing import Any, TypeVar

import yaml

Value = TypeVar("Value")


class ConfigError(ValueError):
    """The configuration is not usable; the message lists every problem with its key and line."""


class Document:
    """One YAML document and what is wrong with it so far.

    Parameters
    ----------
    text : str
    name : str
        How messages call the document: a file name.

    Raises
    ------
    ConfigError
        At once where the text is no YAML, or not a mapping; everything else is collected until `finish`.

    Examples
    --------
    >>> document = Document("seeds: 3", "run.yaml")
    >>> _ = document.section(document.root, "", ["seed", "data"])
    >>> document.finish()
    Traceback (most recent call last):
    ...
    dpcourse.pipeline.document.ConfigError: run.yaml, line 1: seeds is not a known key; did you mean seed? ...
    """

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.problems: list[tuple[int, str]] = []
        try:
            root = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f", line {mark.line + 1}" if mark else ""
            what = getattr(error, "problem", None) or str(error)
            raise ConfigError(f"{name}{where}: this is not YAML: {what}") from None
        if not isinstance(root, yaml.MappingNode):
            raise ConfigError(f"{name}, line 1: a mapping of keys to values is needed, got {_shown(root)}")
        self.root = root

    def refuse(self, node: yaml.Node, message: str) -> None:
        """Note a problem at the line of a node."""
        self.problems.append((node.start_mark.line + 1, message))

    def finish(self) -> None:
        """Raise a `ConfigError` that lists all problems, if there are any."""
        if self.problems:
            lines = (f"{self.name}, line {line}: {message}" for line, message in sorted(set(self.problems)))
            raise ConfigError("\n".join(lines))

    def section(
        self, node: yaml.Node | None, path: str, allowed: Collection[str] | None
    ) -> dict[str, tuple[yaml.Node, yaml.Node]]:
        """The (key, value) nodes of a mapping by key; unknown keys and keys given twice are refused."""
        found: dict[str, tuple[yaml.Node, yaml.Node]] = {}
        if node is None or _is_null(node):
            return found
        if not isinstance(node, yaml.MappingNode):
            self.refuse(node, f"{path} must be a mapping of keys to values, got {_shown(node)}")
            return found
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else _shown(key)
            full = f"{path}.{name}" if path else name
            if name in found:
                first = found[name][0].start_mark.line + 1
                self.refuse(key, f"{full} is given twice, first in line {first}")
            elif allowed is not None and name not in allowed:
                self.refuse(key, f"{full} is not a known key{suggestion(name, allowed)}")
            else:
                found[name] = (key, value)
        return found

    def names(self, node: yaml.Node, path: str) -> dict[str, tuple[yaml.Node, yaml.Node | None]]:
        """(key, options) nodes by name, of a list of names or a mapping of names to options."""
        if isinstance(node, yaml.MappingNode):
            return dict(self.section(node, path, None))
        found: dict[str, tuple[yaml.Node, yaml.Node | None]] = {}
        if not isinstance(node, yaml.SequenceNode):
            self.refuse(node, f"{path} must be a list of names or a mapping of names to options, got {_shown(node)}")
            return found
        for item in node.value:
            if not isinstance(item, yaml.ScalarNode):
                self.refuse(item, f"{path} must list names, got {_shown(item)}")
            elif item.value in found:
                self.refuse(item, f"{path} names {item.value} twice")
            else:
                found[item.value] = (item, None)
        return found

    def value(
        self,
        section: dict[str, tuple[yaml.Node, yaml.Node]],
        key: str,
        path: str,
        check: Callable[[str, Any], Value],
        default: Value,
    ) -> Value:
        """The checked value under `key`, or the default where it is not given or was refused."""
        if key not in section:
            return default
        node = section[key][1]
        try:
            return check(f"{path}.{key}" if path else key, plain(node))
        except (TypeError, ValueError) as error:
            self.refuse(node, str(error))
            return default


def plain(node: yaml.Node) -> Any:
    """A scalar or a list of scalars as Python has them.

    ``1e-5``, a string in YAML 1.1, is a number here, and ``1:30``, which is 90 to base 60 there, is none.
    """
    if isinstance(node, yaml.SequenceNode):  # a list may hold itself: no deeper than this
        return [plain(item) if isinstance(item, yaml.ScalarNode) else _shown(item) for item in node.value]
    if not isinstance(node, yaml.ScalarNode):
        return _shown(node)
    try:
        value = yaml.constructor.SafeConstructor().construct_object(node)
    except (yaml.YAMLError, ValueError):  # a foreign tag, a date that is none
        return node.value
    if isinstance(value, int | float) and ":" in node.value:
        return node.value
    if isinstance(value, str) and node.style is None:
        try:
            return float(value)
        except ValueError:
            return value
    return value


def suggestion(name: str, allowed: Collection[str]) -> str:
    """What was probably meant, and what there is.

    Examples
    --------
    >>> suggestion("epsilom", ["epsilon", "delta"])
    '; did you mean epsilon? There are delta and epsilon'
    """
    near = difflib.get_close_matches(name, list(allowed), n=1, cutoff=0.5)
    known = sorted(allowed)
    listed = " and ".join([", ".join(known[:-1]), known[-1]] if len(known) > 1 else known)
    there = "There is" if len(known) == 1 else "There are"
    return f"; did you mean {near[0]}? {there} {listed}" if near else f"; there {there[6:]} {listed}"


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null")


def _shown(node: yaml.Node | None) -> str:
    if node is None:
        return "an empty document"
    if isinstance(node, yaml.ScalarNode):
        return "nothing" if _is_null(node) else repr(node.value)
    return "a list" if isinstance(node, yaml.SequenceNode) else "a mapping"
