"""What a stranger reads in the code: documented parameters, short functions, names that say what a value is."""

import ast
import dataclasses
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

import cleancut

SOURCE = Path(__file__).resolve().parents[1] / "src" / "cleancut"

LONG_FUNCTIONS: set[str] = set()
"""Functions with more than 60 lines that are still to be divided."""


def names(function, docstring):
    """Return the parameters of a function that have no entry ``name: what it means`` in a docstring."""
    parameters = [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]
    return [name for name in parameters if not re.search(rf"^ *\*{{0,2}}{name}: \S", docstring or "", re.MULTILINE)]


@cache
def class_node(cls):
    tree = ast.parse(inspect.getsource(cls))
    return tree.body[0]


def undocumented_fields(cls):
    """Return the fields of a dataclass or NamedTuple without a docstring below them and without a help text."""
    helped = (
        {field.name for field in dataclasses.fields(cls) if field.metadata} if dataclasses.is_dataclass(cls) else ()
    )
    body = class_node(cls).body
    missing = []
    for statement, following in zip(body, [*body[1:], None]):
        if not isinstance(statement, ast.AnnAssign) or statement.target.id.startswith("_"):
            continue
        has_docstring = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        if not has_docstring and statement.target.id not in helped:
            missing.append(statement.target.id)
    return missing


def undocumented_in_class(cls):
    missing = {cls.__name__: undocumented_fields(cls)}
    has_fields = dataclasses.is_dataclass(cls) or hasattr(cls, "_fields")
    for name, method in vars(cls).items():
        function = getattr(method, "__func__", method)
        if not inspect.isfunction(function) or function.__module__ != cls.__module__:
            continue
        if name == "__init__" and not has_fields:
            missing[function.__qualname__] = names(function, f"{cls.__doc__}\n{function.__doc__}")
        elif not name.startswith("_"):
            missing[function.__qualname__] = names(function, function.__doc__)
    return missing


def test_every_parameter_of_a_public_name_is_documented():
    missing = {}
    for name in cleancut.__all__:
        value = getattr(cleancut, name)
        if inspect.isclass(value):
            missing |= undocumented_in_class(value)
        elif inspect.isfunction(value):
            missing[name] = names(value, value.__doc__)
    missing = {name: " ".join(parameters) for name, parameters in missing.items() if parameters}
    assert not missing


def functions_in(statements):
    """Yield each function among some statements and the statements inside of them."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            yield statement
        if hasattr(statement, "body"):
            yield from functions_in(statement.body)


def test_functions_are_short():
    long = set()
    for path in SOURCE.rglob("*.py"):
        for function in functions_in(ast.parse(path.read_text("utf-8")).body):
            body = function.body[1:] if ast.get_docstring(function, clean=False) else function.body
            if body and body[-1].end_lineno - body[0].lineno >= 60:
                long.add(f"{path.relative_to(SOURCE).as_posix()}: {function.name}")
    assert long == LONG_FUNCTIONS


def documented(statements):
    """Yield the functions and classes among some statements that readers meet: all but those inside functions."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement
        if isinstance(statement, ast.ClassDef):
            yield from documented(statement.body)


VERBS = set(
    "Add Answer Apply Audit Begin Build Call Change Check Compare Compute Count Cut Discard Divide Do "
    "Draw Drop End Fill Find Gather Generate Go Import Join Keep Lay Let Limit List Log Look Make Mark "
    "Move Name Note Open Pair Parse Pass Place Print Protect Publish Put Raise Read Rebuild Recognise "
    "Reduce Refuse Release Remove Report Return Run Score Search Serve Set Show Split Take Tell Test Turn "
    "Undo Update Upload Write Yield".split()
)
"""What the docstring of a function begins with; a property may begin with the noun that it is."""


def is_property(node):
    return any("property" in ast.unparse(decorator) for decorator in getattr(node, "decorator_list", []))


def test_every_function_says_what_it_does():
    """Each function and class has a docstring; its first sentence is no question, and that of a function has a verb."""
    silent = set()
    asking = set()
    without_verb = set()
    for path in sorted(SOURCE.rglob("*.py")):
        for node in documented(ast.parse(path.read_text("utf-8")).body):
            name = f"{path.relative_to(SOURCE).as_posix()}: {node.name}"
            docstring = ast.get_docstring(node)
            if docstring is None:
                silent |= set() if node.name.startswith("__") else {name}
                continue
            if docstring.split("\n\n")[0].rstrip().endswith("?"):
                asking.add(name)
            is_function = not isinstance(node, ast.ClassDef) and not is_property(node)
            if is_function and docstring.split()[0].rstrip(",:") not in VERBS:
                without_verb.add(name)
    assert not silent
    assert not asking
    assert not without_verb


UNTELLING = {"found", "got", "obj", "res", "ret", "stuff", "thing", "tmp"}
"""Names that say nothing of a value."""


def test_names_and_layout_are_plain():
    """No value has a name that says nothing, and only tables of data have a layout of their own."""
    for path in sorted(SOURCE.rglob("*.py")):
        text = path.read_text("utf-8")
        tree = ast.parse(text)
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        assert not bound & UNTELLING, path
        tables = {node.end_lineno for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)}
        own_layout = {number for number, line in enumerate(text.splitlines(), 1) if "# fmt: skip" in line}
        assert own_layout <= tables, (path, own_layout - tables)


COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def has_two_conditions(comprehension):
    """Return whether a comprehension filters by two tests: by two ``if``, or by ``and`` or ``or`` in one."""
    tests = [test for generator in comprehension.generators for test in generator.ifs]
    return len(tests) > 1 or any(isinstance(part, ast.BoolOp) for test in tests for part in ast.walk(test))


def is_parallel(node):
    """Return whether a statement binds three or more names to as many expressions."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple) or len(node.value.elts) < 3:
        return False
    return any(isinstance(target, ast.Tuple) for target in node.targets)


def conditionals_in(argument):
    """Yield the conditional expressions of an argument; those that lambdas and comprehensions repeat do not count."""
    if isinstance(argument, ast.IfExp):
        yield argument
    if not isinstance(argument, (ast.Lambda, *COMPREHENSIONS)):
        for child in ast.iter_child_nodes(argument):
            yield from conditionals_in(child)


def crowded_lines(text):
    """Return the lines of a program with more than one idea, each with what is to be written out."""
    crowded = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, COMPREHENSIONS) and has_two_conditions(node):
            crowded.add((node.lineno, "a comprehension with two conditions"))
        if is_parallel(node):
            crowded.add((node.lineno, "a parallel assignment of three values"))
        if isinstance(node, ast.Call):
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                crowded |= {(inner.lineno, "a conditional inside an argument") for inner in conditionals_in(argument)}
    return crowded


@pytest.mark.parametrize(
    ("line", "is_crowded"),
    [
        ("names = [name for name in given if name]", False),
        ("names = [name for name in given if name and name != 'O']", True),
        ("names = {name for name in given if name if name != 'O'}", True),
        ("total = sum(n for row in rows if row for n in row if n)", True),
        ("names = [name or 'O' for name in given if name is not None]", False),
        ("start, end = 0, 1", False),
        ("start, end, label = 0, 1, 'PER'", True),
        ("start, end, label = span(text)", False),
        ("place = 0, 1, 2", False),
        ("show(title if title else name)", True),
        ("show(title=title if title else name)", True),
        ("show(*(titles if titles else names))", True),
        ("show(1 + (2 if title else 3))", True),
        ("show(f\"a {'b' if title else 'c'}\")", True),
        ("shown = title if title else name", False),
        ("show([title if title else '-' for title in titles])", False),
        ("show(key=lambda title: 0 if title else 1)", False),
    ],
)
def test_a_line_with_two_ideas_is_told(line, is_crowded):
    assert bool(crowded_lines(line)) is is_crowded


def test_lines_have_one_idea():
    crowded = {}
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        lines = crowded_lines(path.read_text("utf-8"))
        if lines:
            crowded[name] = sorted(lines)
    assert not crowded


SHOWN_IN_FULL = {
    "core/exceptions.py": "quoted() itself",
    "scoring/exposure.py": "a digest of names",
    "scoring/metric.py": "a number in the name of a score",
    "app/jobs.py": "code that does what the app did",
    "hub/configs.py": "code that loads what was published",
    "hub/staging.py": "code of a Space",
    "splitting/settings.py": "settings as code",
}
"""Files that show a value by its ``repr``, and what for. Messages quote values of users by ``quoted``, without an
exception: a ``repr`` may fail, and may be of any length."""


def shows_by_repr(node):
    """Return whether an expression is ``{value!r}``, ``{value!a}``, ``repr`` or ``ascii``."""
    by_conversion = isinstance(node, ast.FormattedValue) and node.conversion in (ord("r"), ord("a"))
    return by_conversion or (isinstance(node, ast.Name) and node.id in ("repr", "ascii"))


def texts_raised(tree):
    """Yield the texts of the errors that a program raises, with ``{}`` in the place of values."""
    for top in ast.walk(tree):
        for node in ast.walk(top) if isinstance(top, ast.Raise) else ():
            if isinstance(node, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_messages_are_plain():
    """A value "is not a number" rather than "is no number", and what cannot be added does not "not add up"."""
    odd = re.compile(r"(?<![Tt]here )\b(?:is|are) no (?!longer|more)|do not add up|do not merge|Give such as")
    for path in sorted(SOURCE.rglob("*.py")):
        for text in texts_raised(ast.parse(path.read_text("utf-8"))):
            assert not odd.search(text), (path, text)


def test_messages_quote_values_in_bounded_length():
    shown = {}
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        lines = {node.lineno for node in ast.walk(tree) if shows_by_repr(node)}
        raised = {
            node.lineno
            for top in ast.walk(tree)
            if isinstance(top, ast.Raise)
            for node in ast.walk(top)
            if shows_by_repr(node)
        }
        assert not raised, (path, raised)
        if lines:
            shown[path.relative_to(SOURCE).as_posix()] = lines
    assert set(shown) == set(SHOWN_IN_FULL), shown
