"""Messages of the library, with the command's options in place of parameters.

`n_lags=3` becomes --n-lags 3, using the options that the running command declares. Findings mark
code with backticks (`advice_in_options`). In all other texts (`in_options`), a one-word name such
as time or group is a parameter only if it is written as `time` or time=….
"""

from __future__ import annotations

import re
import shlex
from typing import Any

__all__ = ["advice_in_options", "in_options", "speak_of"]

# Options whose name differs from the parameter by more than the prefix n_.
_OTHER_NAMES = {"kind": "significance"}
# What scikit-learn's n_… parameters count.
_COUNTED = {"n_samples": "row", "n_features": "column"}
_UNAMBIGUOUS = "theiler|init"  # parameters that are not English words

_QUOTED = r"'[^']*'|\"[^\"]*\""
# The length of a list is bounded: otherwise each unclosed one would be searched to the end of the
# text.
_MENTIONS = re.compile(
    r"\b(?P<model>[A-Z]\w+)\((?:\w+=[^()]*)?\)"
    rf"|(?P<named>\b[a-z]\w*) ?= ?(?P<value>{_QUOTED}|\[[^]]{{0,200}}\]|[-+]?\w(?:[\w.+-]*\w)?)"
    rf"|(?<!\w)(?:{_QUOTED})(?!\w)"  # a name quoted from the user
    r"|`(?P<ticked>[a-z]\w*)`"
    rf"|(?<![\w.])(?P<bare>[a-z]+(?:_[a-z]+)+|{_UNAMBIGUOUS})(?!\w|[.(]\w)"
    r"|(?P<none>\bor None\b)"
)
# scikit-learn's sentence about a value it does not allow.
_REFUSAL = re.compile(
    r"The '(?P<name>\w+)' parameter of (?P<kind>\w+) must be (?P<rule>.*)\. "
    r"Got (?P<value>.*) instead\.",
    re.DOTALL,
)
_RULES = (
    (r"an instance of '[\w.]+'", ""),
    (r"an array-like", ""),
    # Up to 2³¹ - 1; the options themselves refuse larger numbers.
    (r"an int in the range \[(-?\d+), (?:inf\)|2147483647\])", r"a whole number from \1 on"),
    (r"an int in the range \[(-?\d+), (-?\d+)\]", r"a whole number from \1 to \2"),
    (r"a float in the range \((-?\d+)(?:\.0)?, (-?\d+)(?:\.0)?\)", r"a number between \1 and \2"),
    (r"None", "none"),
)

_options: dict[str, tuple[str, str | None]] = {}


def speak_of(command: Any) -> None:
    """Use this command's options from now on; None: no options."""
    _options.clear()
    for declared in getattr(command, "params", ()):
        long = [name for name in declared.opts if name.startswith("--")]
        off = [name for name in declared.secondary_opts if name.startswith("--")]
        if long:
            _options[declared.name] = (long[0], off[0] if off else None)


def in_options(text: str) -> str:
    """Return a text of the library with the running command's options for its parameters."""
    refusal = _REFUSAL.fullmatch(text.strip())
    if refusal is not None:
        text = _refused(**refusal.groupdict())
    return _MENTIONS.sub(_mention, text)


def advice_in_options(advice: str) -> str:
    """Return a finding's advice, whose code stands in backticks, with options for parameters."""
    parts = advice.split("`")
    parts[1::2] = map(_code_in_options, parts[1::2])
    return "".join(parts)


def _code_in_options(code: str) -> str:
    """Say `n_lags=3` as --n-lags 3, and `GPFA(n_lags=3)` as GPFA with --n-lags 3."""
    called, bracket, inside = code.removesuffix(")").partition("(")
    parts = inside.split(", ") if bracket else [code]
    typed = [_typed(name, value if equals else None)
             for name, equals, value in (part.partition("=") for part in parts)]  # fmt: skip
    if None in typed:
        return code
    return f"{called} with " * bool(bracket) + " ".join(filter(None, typed))


def _typed(name: str, value: str | None) -> str | None:
    """Return a parameter as it is typed, None where the command has no such option."""
    option = _option(name)
    if option is None:
        return None
    on, off = option
    if value is None:
        return on
    if value in ("True", "False"):
        return on if value == "True" else off or f"no {on}"
    return f"{on} {_plain(value)}"


def _mention(found: re.Match[str]) -> str:
    if found["model"] or found["none"]:
        return found["model"] or "or none"
    whole, name, value = found[0], found["named"], found["value"]
    if name in _COUNTED and value.isdigit():
        return f"{value} {_COUNTED[name]}{'' if value == '1' else 's'}"
    return _typed(name or found["ticked"] or found["bare"] or "", value) or whole


def _option(name: str) -> tuple[str, str | None] | None:
    for known in (name, _OTHER_NAMES.get(name, ""), name.removeprefix("n_")):
        if known in _options:
            return _options[known]
    return None


def _plain(value: str) -> str:
    """Return a value as it is typed: without brackets, in the shell's quotes, none for None."""
    if value == "None":
        return "none"
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        return shlex.quote(value[1:-1])
    return re.sub(r"(?<=\d)\.0$", "", value.strip("'\"[]"))


def _refused(name: str, kind: str, rule: str, value: str) -> str:
    rule = re.sub(r"a str among \{([^}]*)\}", _one_of, rule)
    for pattern, words in _RULES:
        rule = re.sub(pattern, words, rule)
    ways = [way.strip() for way in re.split(r"\bor\b|, (?=an? |one of)", rule)]
    given = " or ".join(way.strip(" ,") for way in ways if way.strip(" ,"))
    return f"{name}={value} is not possible for {kind}: give {given}."


def _one_of(found: re.Match[str]) -> str:
    """Return the words allowed, in the order of the alphabet: scikit-learn's is that of a set."""
    return "one of " + ", ".join(sorted(word.strip(" '") for word in found[1].split(",")))
