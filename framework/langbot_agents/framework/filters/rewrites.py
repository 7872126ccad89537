"""Expressions as other languages and keyboards write them, put into JMESPath's own words."""

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from ..texts import t
from .syntax import FilterSyntaxError, parse

_CLOSED = re.compile(
    r"""'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`|"(?:\\.|[^"\\])*"|[“”]([^“”']*)[“”]|[‘’]([^‘’']*)[‘’]|「([^」']*)」""",
    re.DOTALL,
)
"""Texts, JSON and quoted names, in which nothing is changed; curly quotes become straight ones."""

_KEYBOARD = str.maketrans("（），、！＝＜＞［］【】｜＆．。：＇＂", "(),,!=<>[][]|&..:'\"")
_PIECES = re.compile(
    r"""
      (?P<text>'(?:\\.|[^'\\])*')
    | (?P<json>`(?:\\.|[^`\\])*`)
    | (?P<name>"(?:\\.|[^"\\])*")
    | (?P<space>\s+)
    | (?P<pattern>(?<=~)\s*/(?:\\.|[^/\\])+/[a-z]*)
    | (?P<number>-?\d+(?:\.\d+)?(?![\w-]))
    | (?P<word>\w(?:\w|-(?=\w))*)
    | (?P<sign>===|!==|==|!=|<>|<=|>=|=~|~=|!~|&&|\|\||.)
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_EITHER = re.compile(
    r"([\w.]+) *== *('[^']*'|`[^`]*`)((?: *\|\| *(?:'[^']*'|`[^`]*`)(?! *[=!<>.]))+)", re.ASCII
)

_SIGNS: Mapping[str, str] = {"=": "==", "===": "==", "!==": "!=", "<>": "!="}
_COMPARATORS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_WORDS: Mapping[str, str] = {"and": "&&", "or": "||"}
_VALUES: Mapping[str, str] = {"true": "`true`", "false": "`false`", "null": "`null`", "none": "`null`"}
_INFIX: Mapping[str, str] = {
    "contains": "contains_any",
    "includes": "contains_any",
    "startswith": "starts_with_any",
    "starts_with": "starts_with_any",
    "endswith": "ends_with",
    "ends_with": "ends_with",
    "matches": "matches",
    "regex": "matches",
    "like": "glob",
    "in": "one_of",
    "=~": "matches",
    "~=": "matches",
    "!~": "matches",
}
"""What stands between two values elsewhere, and the function that it is here."""


class Rewrite(NamedTuple):
    """A filter in JMESPath's words, and the first thing in it that was not."""

    text: str
    offset: int
    width: int
    cause: str


class _Piece(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def rewrite(expr: str) -> Rewrite | None:
    """The same in JMESPath, where that can be told and then can be read; else None."""
    made = _Rewriter(expr)
    text = made.text()
    if not made.changes or text == expr:
        return None
    try:
        parse(text)
    except FilterSyntaxError:
        return None
    offset, end, cause = min(made.changes)
    return Rewrite(text, offset, max(1, end - offset), cause)


def without_repeats(text: str) -> str:
    """`a == 'x' || 'y'` as `one_of(a, ['x', 'y'])`."""

    def one_of(found: re.Match[str]) -> str:
        values = [found[2], *re.findall(r"'[^']*'|`[^`]*`", found[3])]
        return f"one_of({found[1]}, [{', '.join(values)}])"

    return _EITHER.sub(one_of, text)


def _written(found: str, meant: str) -> str:
    return t("{found!r} is written {meant} here", found=found, meant=meant)


class _Rewriter:
    """One pass over the signs, one over the pieces, and one over what stands between two values."""

    def __init__(self, expr: str) -> None:
        self.changes: list[tuple[int, int, str]] = []
        straight = self._straightened(expr)
        self._pieces = [
            _Piece(str(found.lastgroup), found[0], found.start(), found.end())
            for found in _PIECES.finditer(straight)
        ]
        self._length = len(straight)

    def text(self) -> str:
        """The whole in JMESPath's words, as far as they are known."""
        self._drop_what_frames()
        self._brackets()
        self._pieces = [self._plain(place, piece) for place, piece in enumerate(self._pieces)]
        for step in (self._between, self._not):
            place = 0
            while place < len(self._pieces):
                place = step(place)
        self._close()
        return without_repeats("".join(piece.text for piece in self._pieces).strip())

    def _note(self, start: int, end: int, cause: str) -> None:
        self.changes.append((start, end, cause))

    def _straightened(self, expr: str) -> str:
        """The same characters one by one, in half width."""
        made: list[str] = []
        place = 0
        for found in _CLOSED.finditer(expr):
            made += [self._half(expr, at) for at in range(place, found.start())]
            inner = next((part for part in found.groups() if part is not None), None)
            if inner is None:
                made.append(found[0])
            else:
                made.append(f"'{inner}'")
                self._note(found.start(), found.end(), _written(found[0], f"'{inner}'"))
            place = found.end()
        made += [self._half(expr, at) for at in range(place, len(expr))]
        return "".join(made)

    def _half(self, expr: str, at: int) -> str:
        char = expr[at]
        half = char.translate(_KEYBOARD)
        if half != char:
            self._note(at, at + 1, _written(char, half))
        return half

    def _near(self, place: int, step: int) -> _Piece | None:
        """The next piece on one side that is not a blank."""
        place += step
        while 0 <= place < len(self._pieces) and self._pieces[place].kind == "space":
            place += step
        return self._pieces[place] if 0 <= place < len(self._pieces) else None

    def _drop_what_frames(self) -> None:
        """`$.`, `{{ }}`, a `;` at the end."""
        kept: list[_Piece] = []
        pieces = self._pieces
        for place, piece in enumerate(pieces):
            following = pieces[place + 1].text if place + 1 < len(pieces) else ""
            before = pieces[place - 1].text if place else ""
            twice = piece.text in "{}" and piece.text in (following, before)
            of_root = piece.text == "$" or (piece.text == "." and before == "$")
            if twice or of_root or (piece.text == ";" and self._near(place, 1) is None):
                self._note(piece.start, piece.end, t("{found!r} has no place here", found=piece.text))
            else:
                kept.append(piece)
        self._pieces = kept

    def _brackets(self) -> None:
        """`actor['actor_id']` as a path."""
        pieces = self._pieces
        place = 0
        while place + 2 < len(pieces):
            first, key, last = pieces[place : place + 3]
            before = self._near(place, -1)
            if (
                (first.text, last.text) == ("[", "]")
                and key.kind in {"text", "name"}
                and before is not None
                and before.kind in {"word", "name"}
                and before.text not in {"in", "not"}
            ):
                name = key.text[1:-1]
                put = "." + (name if _PLAIN.fullmatch(name) else f'"{name}"')
                written = "".join(piece.text for piece in (first, key, last))
                self._note(first.start, last.end, _written(written, put))
                pieces[place : place + 3] = [_Piece("name", put, first.start, last.end)]
            place += 1

    def _plain(self, place: int, piece: _Piece) -> _Piece:
        """A piece that is written in another way wherever it stands."""
        before, after = self._near(place, -1), self._near(place, 1)
        behind_dot = before is not None and before.text == "."
        is_value = before is not None and (before.text in _COMPARATORS | _SIGNS.keys() | {",", "["})
        put = piece.text
        cause = None
        if piece.kind == "sign":
            put = _SIGNS.get(piece.text, piece.text)
            if put == "&" and _ends_value(before):
                put = "&&"
        elif piece.kind == "word" and not behind_dot:
            put, cause = self._word(piece, after, is_value=is_value)
        elif piece.kind == "word" and not _PLAIN.fullmatch(piece.text):
            put = f'"{piece.text}"'
            cause = t("a name with other signs than a-z, 0-9 and _ stands in double quotes: {text}", text=put)
        elif piece.kind == "number" and not self._is_index(place):
            put, cause = self._number(place, piece)
        elif piece.kind == "json" and not _is_json(piece.text):
            put = "'" + piece.text[1:-1] + "'"
            cause = t("`{text}` is not JSON", text=piece.text[1:-1])
        elif piece.kind == "name" and is_value:
            put = "'" + piece.text[1:-1] + "'"
            cause = t("text stands in single quotes: {text}", text=put)
        if put == piece.text:
            return piece
        self._note(piece.start, piece.end, cause or _written(piece.text, put))
        return piece._replace(text=put, kind="sign" if put in {"&&", "||"} else piece.kind)

    def _word(self, piece: _Piece, after: _Piece | None, *, is_value: bool) -> tuple[str, str | None]:
        word = piece.text
        starts_path = after is not None and after.text in {".", "(", "["}
        if word.lower() in _WORDS and not starts_path:
            return _WORDS[word.lower()], None
        if is_value and word.lower() in _VALUES and not starts_path:
            put = _VALUES[word.lower()]
            return put, t("a value stands in backticks: `{word}`", word=put.strip("`"))
        if _PLAIN.fullmatch(word):
            return word, None
        named = starts_path or (after is not None and after.text in _COMPARATORS)
        if named and not is_value:
            put = f'"{word}"'
            return put, t(
                "a name with other signs than a-z, 0-9 and _ stands in double quotes: {text}", text=put
            )
        put = f"'{word}'"
        return put, t("text stands in single quotes: {text}", text=put)

    def _number(self, place: int, piece: _Piece) -> tuple[str, str]:
        """A number is JSON; but what is compared with an id is text."""
        names = [item.text for item in self._pieces[:place] if item.kind in {"word", "sign"}]
        if names[-1:] and names[-1] in {"==", "!="} and len(names) > 1 and names[-2].endswith("id"):
            put = f"'{piece.text}'"
            return put, t("text stands in single quotes: {text}", text=put)
        put = f"`{piece.text}`"
        return put, t("a number stands in backticks: {text}", text=put)

    def _is_index(self, place: int) -> bool:
        """Whether a number counts places, as in `[0]` or `[1:3]`."""
        while place > 0:
            place -= 1
            piece = self._pieces[place]
            if piece.text == "[":
                before = self._near(place, -1)
                return before is not None and (
                    (before.kind in {"word", "name"} and before.text not in {"in", "not"})
                    or before.text in {"]", ")"}
                )
            if piece.kind not in {"number", "space"} and piece.text != ":":
                return False
        return False

    def _between(self, place: int) -> int:
        """Put what stands between two values as a function; the next place to look."""
        piece = self._pieces[place]
        before, after = self._near(place, -1), self._near(place, 1)
        word = piece.text.lower()
        behind_dot = before is not None and before.text == "."
        if after is None or behind_dot or piece.kind not in {"word", "sign"}:
            return place + 1
        if word == "is" and _ends_value(before):
            return self._is_null(place)
        negated = word == "!~" or (word == "not" and after.text.lower() in _INFIX)
        operator = after.text.lower() if word == "not" and negated else word
        if operator not in _INFIX or not _ends_value(before):
            return place + 1
        last = self._skip(place) if word == "not" else place
        begin, end = self._before(place), self._after(last)
        left = "".join(item.text for item in self._pieces[begin:place]).strip()
        right = "".join(item.text for item in self._pieces[last + 1 : end]).strip()
        if not left or not right:
            return place + 1
        put = ("!" if negated else "") + _call(operator, left, right)
        self._note(piece.start, self._pieces[last].end, _written(operator, put))
        self._replace(begin, end, put)
        return 0

    def _skip(self, place: int) -> int:
        place += 1
        while self._pieces[place].kind == "space":
            place += 1
        return place

    def _is_null(self, place: int) -> int:
        following = self._skip(place)
        negated = self._pieces[following].text.lower() == "not"
        if negated and self._near(following, 1) is not None:
            following = self._skip(following)
        value = _VALUES.get(self._pieces[following].text.lower().strip("`"))
        if value is None:
            return place + 1
        put = f"{'!=' if negated else '=='} {value}"
        found = "is not null" if negated else "is null"
        self._note(self._pieces[place].start, self._pieces[following].end, _written(found, put))
        self._replace(place, following + 1, put)
        return 0

    def _not(self, place: int) -> int:
        """Put `not` as `!`; the next place to look."""
        before = self._near(place, -1)
        if self._pieces[place].text.lower() != "not" or self._near(place, 1) is None or _ends_value(before):
            return place + 1
        if before is not None and before.text == ".":
            return place + 1
        first = self._skip(place)
        end = self._after(place)
        inner = self._pieces[first:end]
        text = "".join(item.text for item in inner).strip()
        calls = re.fullmatch(r"\w*\([^()]*\)", text) is not None
        put = f"!{text}" if calls else f"!({text})"
        self._note(self._pieces[place].start, self._pieces[place].end, _written("not", "!"))
        self._replace(place, end, put)
        return 0

    def _replace(self, begin: int, end: int, put: str) -> None:
        piece = _Piece("call", put, self._pieces[begin].start, self._pieces[end - 1].end)
        trailing = self._pieces[end - 1].kind == "space"
        self._pieces[begin:end] = [piece, self._pieces[end - 1]] if trailing else [piece]

    def _before(self, place: int) -> int:
        """Where the value that ends before a place begins."""
        depth = 0
        while place > 0:
            text = self._pieces[place - 1].text
            if text in {")", "]"}:
                depth += 1
            elif depth == 0 and text.lower() in {"(", "[", "&&", "||", ",", "!", "|", "not"}:
                break
            elif text in {"(", "["}:
                depth -= 1
            place -= 1
        while self._pieces[place].kind == "space":
            place += 1
        return place

    def _after(self, place: int) -> int:
        """Where the value that begins behind a place ends."""
        depth = 0
        place += 1
        while place < len(self._pieces):
            text = self._pieces[place].text
            if text in {"(", "["}:
                depth += 1
            elif depth == 0 and text in {")", "]", "&&", "||", ",", "|"}:
                break
            elif text in {")", "]"}:
                depth -= 1
            place += 1
        return place

    def _close(self) -> None:
        """A bracket too few or too many at the end."""
        signs = [piece.text for piece in self._pieces if piece.kind == "sign"]
        more = signs.count("(") - signs.count(")")
        if more > 0:
            self._pieces.append(_Piece("sign", ")" * more, self._length, self._length))
            self._note(max(0, self._length - 1), self._length, t("{text!r} is not closed", text="("))
        elif more < 0 and self._pieces[-1].text == ")":
            last = self._pieces.pop()
            self._note(last.start, last.end, t("{found!r} has no place here", found=")"))


def _ends_value(piece: _Piece | None) -> bool:
    return piece is not None and (
        piece.kind in {"text", "json", "name", "number", "word", "call"} or piece.text in {")", "]"}
    )


def _is_json(text: str) -> bool:
    try:
        json.loads(text[1:-1].replace("\\`", "`"))
    except ValueError:
        return False
    return True


def _is_text(text: str) -> bool:
    """Whether an expression is a text as it stands."""
    return text.startswith("'") and text.endswith("'")


def _call(operator: str, left: str, right: str) -> str:
    name = _INFIX[operator]
    if operator == "in":
        if right.startswith(("[", "(")):
            return f"one_of({left}, [{right[1:-1]}])"
        if _is_text(left) and right.endswith(("text", "name")):
            return f"contains_any({right}, [{left}])"
        return f"contains({right}, {left})"
    if name == "glob":
        return f"glob({left}, {right.replace('%', '*')})"
    if right.startswith("/"):
        pattern, _, flags = right[1:].rpartition("/")
        known = "".join(flag for flag in flags if flag in "ims")
        right = "'" + (f"(?{known})" if known else "") + pattern.replace("'", "\\'") + "'"
    elif name.endswith("_any"):
        return (
            f"{name}({left}, [{right}])"
            if _is_text(right)
            else f"{name.removesuffix('_any')}({left}, {right})"
        )
    if name == "ends_with":
        left = f"{left} || ''"
    return f"{name}({left}, {right})"
