"""Numbers as a person writes them: $20,000 rather than 2e+04, one in a million rather than 1e-06."""

from __future__ import annotations

import math
import re

_POWER = re.compile(r"\^(\((?:[^()]|\([^()]*\))*\)|[−-]?\w+)")
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float, unit: str = "", digits: int = 3) -> str:
    """A number to so many digits, without an exponent.

    Parameters
    ----------
    unit : {"", "%", "$"}
        With "%" the value is a share, and 0.25 is written as 25%.

    Examples
    --------
    >>> number(20_000, "$"), number(0.25, "%"), number(1234.5), number(0.0123), number(-2.5), number(3e6)
    ('$20,000', '25%', '1,234', '0.0123', '−2.5', '3 million')
    >>> number(0), number(1e-6), number(math.inf), number(2.5e-7)
    ('0', '10⁻⁶', 'infinity', '2.5 × 10⁻⁷')
    """
    if math.isinf(value):
        return "infinity" if value > 0 else "−infinity"
    if unit == "%":
        value *= 100
    sign, size = "−" if value < 0 else "", abs(value)
    if size >= 1e6:
        million = f"{size / 1e6:,.{digits}g}" if size < 1e9 else f"{size / 1e6:,.0f}"
        words = f"{million} million"
    elif size >= 10**digits:
        words = f"{size:,.0f}"
    elif size >= 1e-4:
        places = max(digits - 1 - math.floor(math.log10(size)), 0)
        words = f"{size:,.{places}f}"
        words = words.rstrip("0").rstrip(".") if "." in words else words
    elif size == 0:
        sign, words = "", "0"
    else:
        exponent = math.floor(math.log10(size) + 1e-12)
        power = "10" + str(exponent).translate(_SUPERSCRIPTS)
        front = f"{size / 10.0**exponent:.{digits}g}"
        words = power if front == "1" else f"{front} × {power}"
    return f"{sign}{'$' if unit == '$' else ''}{words}{'%' if unit == '%' else ''}"


def share(value: float) -> str:
    """A share in percent that says 100% of nothing but all.

    Examples
    --------
    >>> share(0.25), share(0.99966), share(0.999999), share(1.0)
    ('25%', '99.97%', 'more than 99.99%', '100%')
    """
    words = number(value, "%")
    if words == "100%" and value < 1:
        words = number(value, "%", 4) if value < 0.9999 else "more than 99.99%"
    return words


def plural(count: float, thing: str) -> str:
    """So many things.

    Examples
    --------
    >>> plural(1, "vote"), plural(2_000, "vote"), plural(0, "query"), plural(2, "person")
    ('1 vote', '2,000 votes', '0 queries', '2 people')
    """
    words = number(count)
    many = "people" if thing == "person" else thing[:-1] + "ies" if thing.endswith("y") else thing + "s"
    return f"{words} {thing if words == '1' else many}"


def at_most(value: float) -> str:
    """A number that is not to be understated, rounded up to three digits.

    Examples
    --------
    >>> at_most(2.7183), at_most(33.115), at_most(148.41), at_most(22_026.5)
    ('2.72', '33.2', '149', '22,027')
    """
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{math.ceil(value * 10**digits - 1e-9) / 10**digits:,.{digits}f}"


def one_in(probability: float) -> str:
    """A small probability in words.

    Examples
    --------
    >>> one_in(1e-5), one_in(1e-6), one_in(0.01), one_in(1e-9), one_in(0)
    ('one in 100,000', 'one in a million', 'one in 100', 'one in a billion', 'never')
    """
    if probability <= 0:
        return "never"
    times = 1 / probability
    named = {6: "a million", 9: "a billion"}.get(round(math.log10(times)))
    if named and math.isclose(times, 10 ** round(math.log10(times)), rel_tol=1e-6):
        return f"one in {named}"
    return f"one in {number(times)}"


def powers(text: str) -> list[tuple[str, str]]:
    """A text cut where its typed powers end: what stands on the line, and what is raised, as typed.

    Examples
    --------
    >>> powers("at most e^ε times")
    [('at most e', 'ε'), (' times', '')]
    >>> powers("e^(−x/b)"), powers("none")
    ([('e', '(−x/b)')], [('none', '')])
    """
    parts = _POWER.split(text)
    found = list(zip(parts[::2], [*parts[1::2], ""], strict=True))
    return found if found[-1][0] or len(found) == 1 else found[:-1]
