"""Refuses Python code that PySide6 or a reader accepts and that real PythonQt fails on, mostly without a word."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

PROPERTIES = frozenset(
    [
        "checkable",
        "checked",
        "collapsed",
        "currentData",
        "currentIndex",
        "currentNodeID",
        "currentText",
        "document",
        "enabled",
        "html",
        "icon",
        "maximum",
        "minimum",
        "objectName",
        "placeholderText",
        "plainText",
        "readOnly",
        "styleSheet",
        "text",
        "toolTip",
        "value",
        "visible",
        "windowTitle",
    ]
)
HEAVY_MODULES = frozenset(
    [
        "PySide6",
        "SimpleITK",
        "fastapi",
        "highdicom",
        "onnxruntime",
        "pydicom",
        "requests",
        "segment_anything",
        "torch",
        "transformers",
    ]
)


@dataclass(frozen=True, order=True)
class Fault:
    """One place in a source: its line, from 1, and what PythonQt does there."""

    line: int
    message: str


def faults(source: str) -> list[Fault]:
    """Return the faults of a source, in the order of their lines."""
    tree = ast.parse(source)
    return sorted({fault for rule in _RULES for fault in rule(tree)})


def _connect_needs_a_signature(tree: ast.AST) -> Iterator[Fault]:
    for call in _calls(tree, "connect", "disconnect"):
        signal = call.args[0] if call.args else None
        if isinstance(signal, ast.Constant) and isinstance(signal.value, str) and "(" not in signal.value:
            yield Fault(call.lineno, f'connect("{signal.value}") finds no signal; write its full signature')


def _defaults_of_slots_are_overwritten(tree: ast.AST) -> Iterator[Fault]:
    for call in _calls(tree, "connect"):
        takes_no_argument = isinstance(call.args[0], ast.Constant) and str(call.args[0].value).endswith("()")
        for slot in call.args:
            if isinstance(slot, ast.Lambda) and slot.args.defaults and not takes_no_argument:
                yield Fault(slot.lineno, "the signal's argument overwrites the default; put `*_, ` before it")


def _isinstance_knows_exact_classes_only(tree: ast.AST) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            for part in ast.walk(node.args[1]):
                if isinstance(part, ast.Attribute) and _path(part)[:1] == ["qt"]:
                    yield Fault(node.lineno, "isinstance is False for subclasses; use inherits()")


def _super_finds_no_method_of_qt(tree: ast.AST) -> Iterator[Fault]:
    for class_ in _classes(tree):
        of_qt = any(_path(base)[:1] == ["qt"] for base in class_.bases)
        for node in ast.walk(class_):
            if not (isinstance(node, ast.Attribute) and _is_call_of_super(node.value)):
                continue
            is_event = node.attr.endswith("Event") or node.attr in ("event", "eventFilter")
            if node.attr != "__init__" and (of_qt or is_event):
                yield Fault(node.lineno, f"super().{node.attr} is not there; use qt.<Class>.{node.attr}(self, ...)")


def _qt_takes_no_keywords(tree: ast.AST) -> Iterator[Fault]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.keywords and _is_made_by_qt(_path(node.func)):
            yield Fault(node.lineno, f"{'.'.join(_path(node.func))} takes no keyword arguments")


def _threads_of_qt_do_not_run_python(tree: ast.AST) -> Iterator[Fault]:
    for class_ in _classes(tree):
        names = [item.name for item in class_.body if isinstance(item, ast.FunctionDef)]
        if "run" in names and any(_path(base) == ["qt", "QThread"] for base in class_.bases):
            yield Fault(class_.lineno, "a qt.QThread with its own run() crashes; use threading.Thread")


def _properties_are_not_called(tree: ast.AST) -> Iterator[Fault]:
    for call in _calls(tree, *PROPERTIES):
        owner = _path(call.func)[-2:-1]
        is_list_item = bool(owner) and owner[0].lower().endswith("item")  # not a QObject, so it has methods
        if not call.args and not call.keywords and not is_list_item:
            name = _path(call.func)[-1]
            yield Fault(call.lineno, f"{name} is a property: read .{name} without calling it")


def _enumerators_are_unscoped(tree: ast.AST) -> Iterator[Fault]:
    for node in ast.walk(tree):
        path = _path(node)
        if path[:1] == ["qt"] and len(path) == 4 and path[2][:1].isupper():
            yield Fault(node.lineno, f"{'.'.join(path)} is of Qt 6; write {'.'.join((*path[:2], path[3]))}")


def _threads_touch_neither_qt_nor_mrml(tree: ast.AST) -> Iterator[Fault]:
    targets = list(_thread_targets(tree))
    names = {_path(target)[-1] for target in targets if _path(target)}
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in names]
    for function in [*functions, *(target for target in targets if isinstance(target, ast.Lambda))]:
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and node.id in ("qt", "slicer", "ctk"):
                yield Fault(node.lineno, f"{node.id} is used in a thread; emit a signal instead")


def _heavy_modules_are_imported_in_functions(tree: ast.AST) -> Iterator[Fault]:
    for node in _outside_functions(tree):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
        for module in modules:
            if module.split(".")[0] in HEAVY_MODULES:
                yield Fault(node.lineno, f"{module} is imported when the module loads; do it in a function")


_RULES: tuple[Callable[[ast.AST], Iterator[Fault]], ...] = (
    _connect_needs_a_signature,
    _defaults_of_slots_are_overwritten,
    _isinstance_knows_exact_classes_only,
    _super_finds_no_method_of_qt,
    _qt_takes_no_keywords,
    _threads_of_qt_do_not_run_python,
    _properties_are_not_called,
    _enumerators_are_unscoped,
    _threads_touch_neither_qt_nor_mrml,
    _heavy_modules_are_imported_in_functions,
)


def _path(node: ast.AST) -> list[str]:
    """Return the names of a dotted expression such as `qt.Qt.AlignLeft`; calls in it leave it without a root."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [*(_path(node.value) or [""]), node.attr]
    return []


def _calls(tree: ast.AST, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in names:
            yield node


def _classes(tree: ast.AST) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def _is_call_of_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _is_made_by_qt(path: list[str]) -> bool:
    return path[:1] in (["qt"], ["ctk"]) or (path[:1] == ["slicer"] and path[-1].startswith(("qMRML", "qSlicer")))


def _thread_targets(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _path(node.func)[-1:] == ["Thread"]:
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "target")
        elif isinstance(node, ast.Call) and _path(node.func)[-1:] == ["submit"] and node.args:
            yield node.args[0]


def _outside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk what runs when the module is imported; `if TYPE_CHECKING` does not."""
    for node in ast.iter_child_nodes(tree):
        is_for_types = isinstance(node, ast.If) and _path(node.test)[-1:] == ["TYPE_CHECKING"]
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or is_for_types:
            continue
        yield node
        yield from _outside_functions(node)
