"""Expressions as other languages and keyboards write them, put into JMESPath's own words."""

import re

from .syntax import FilterSyntaxError, parse

_KEPT = re.compile(r"('(?:\\.|[^'\\])*'|`[^`]*`|\"[^\"]*\")")
"""Texts, JSON and quoted names, in which nothing is changed."""

_KEYBOARD = str.maketrans("（），！＝＜＞［］｜＆．：", "(),!=<>[]|&.:")
_QUOTES = re.compile("[“”]([^“”\"']*)[“”]|[‘’]([^‘’\"']*)[‘’]|「([^「」']*)」")
_PATTERN = re.compile(r"([\w.]+)\s*=~\s*(?:'([^']*)'|/([^/]*)/\w*)")

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), put)
    for pattern, put in (
        (r"\$\.", ""),
        (r"\bis\s+not\s+(?:null|None)\b", "!= `null`"),
        (r"\bis\s+(?:null|None)\b", "== `null`"),
        (r"===", "=="),
        (r"!==", "!="),
        (r"<>", "!="),
        (r"(?<![=!<>])=(?![=~])", "=="),
        (r"\band\b|\bAND\b", "&&"),
        (r"\bor\b|\bOR\b", "||"),
        (r"\b(?:not|NOT)\s+(?!in\b)", "!"),
        (r"(?<![\w\"'.-])((?:[A-Za-z_]\w*\.)*)([A-Za-z_]\w*(?:-\w+)+)(?=\s*(?:[=!<>|&),]|$))", r'\1"\2"'),
    )
)
_MEMBER = re.compile(r"([\w.]+)\s+(not\s+)?in\s+(\[[^\]]*\]|\([^)]*\))")


def rewritten(expr: str) -> str | None:
    """The same in JMESPath, where that can be told and then can be read; else None."""
    text = _QUOTES.sub(
        lambda found: "'" + next(part for part in found.groups() if part is not None) + "'", expr
    )
    text = _PATTERN.sub(
        lambda found: f"matches({found[1]}, '{found[2] if found[2] is not None else found[3]}')", text
    )
    text = _MEMBER.sub(_member, text)
    pieces = _KEPT.split(text)
    for place in range(0, len(pieces), 2):
        piece = pieces[place].translate(_KEYBOARD)
        for pattern, put in _RULES:
            piece = pattern.sub(put, piece)
        pieces[place] = piece
    text = "".join(pieces).strip()
    if text == expr:
        return None
    try:
        parse(text)
    except FilterSyntaxError:
        return None
    return text


def _member(found: re.Match[str]) -> str:
    values = "[" + found[3][1:-1].replace('"', "'") + "]"
    return f"{'!' if found[2] else ''}one_of({found[1]}, {values})"
