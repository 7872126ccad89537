"""What other languages and keyboards write is put into JMESPath's words, or left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langbot_agents.framework.filters import check_filters, parse, rewrite

PIECES = (
    *(
        "bot_id",
        "input.text",
        "event['actor']",
        "metadata.a-b",
        "退款",
        "bot-7",
        "'x'",
        '"x"',
        "`1`",
        "`wat`",
    ),
    *(
        "42",
        "-1",
        "3.5",
        "“引号”",
        "‘a’",
        "「b」",
        "(",
        ")",
        "[",
        "]",
        "{{",
        "}}",
        "，",
        "（",
        "）",
        ",",
        "$.",
    ),
    *(" and ", " OR ", " not ", " in ", " not in ", " is null", " is not null", " contains ", " like ", " "),
    *(
        "=",
        "==",
        "===",
        "!=",
        "<>",
        "=~",
        "!~",
        "&&",
        "&",
        "||",
        "|",
        "！",
        "＝",
        ";",
        "/a+/i",
        "'",
        '"',
        ".",
    ),
)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("bot_id = 'b'", "bot_id == 'b'"),
        ("bot_id === 'b'", "bot_id == 'b'"),
        ("bot_id !== 'b' and mentions_bot()", "bot_id != 'b' && mentions_bot()"),
        ("bot_id <> 'b'", "bot_id != 'b'"),
        ("input.text =~ 'b'", "matches(input.text, 'b')"),
        ("input.text =~ /b+/i", "matches(input.text, '(?i)b+')"),
        ("input.text !~ 'b'", "!matches(input.text, 'b')"),
        ("bot_id == 'a' AND bot_id == 'b' OR now > 5", "bot_id == 'a' && bot_id == 'b' || now > `5`"),
        ("not mentions_bot()", "!mentions_bot()"),
        ("not bot_id == 'b'", "!(bot_id == 'b')"),
        ("bot_id == 'b' and not mentions_bot()", "bot_id == 'b' && !mentions_bot()"),
        ("not bot_id == 'b' and now > 5", "!(bot_id == 'b') && now > `5`"),
        ("bot_id in ['x', \"y\"]", "one_of(bot_id, ['x', 'y'])"),
        ("bot_id in ('x', 'y') and now > 5", "one_of(bot_id, ['x', 'y']) && now > `5`"),
        ("bot_id not in ['x']", "!one_of(bot_id, ['x'])"),
        ("not bot_id in ['x']", "!one_of(bot_id, ['x'])"),
        ("metadata.level in [1, 2]", "one_of(metadata.level, [`1`, `2`])"),
        ("'x' in input.text", "contains_any(input.text, ['x'])"),
        ("'admin' in actor.roles", "contains(actor.roles, 'admin')"),
        ("input.text contains 'x'", "contains_any(input.text, ['x'])"),
        ("input.text startswith '/'", "starts_with_any(input.text, ['/'])"),
        ("input.text endswith '?'", "ends_with(input.text || '', '?')"),
        ("input.text like '%x%'", "glob(input.text, '*x*')"),
        ("input.text is null", "input.text == `null`"),
        ("input.text is not None", "input.text != `null`"),
        ("$.bot_id == 'b'", "bot_id == 'b'"),
        ("{{bot_id}} == 'b'", "bot_id == 'b'"),
        ("bot_id == 'b';", "bot_id == 'b'"),
        ("(bot_id == 'b'", "(bot_id == 'b')"),
        ("bot_id == 'b')", "bot_id == 'b'"),
        ("bot_id == 'a' & bot_id == 'b'", "bot_id == 'a' && bot_id == 'b'"),
        ("length(input.contents) > 3", "length(input.contents) > `3`"),
        ("input.contents[0].type = 'text'", "input.contents[0].type == 'text'"),
        ("input.contents[1:-1] = 3", "input.contents[1:-1] == `3`"),
        ("actor.actor_id == 42", "actor.actor_id == '42'"),
        ("actor.actor_id == bot-7", "actor.actor_id == 'bot-7'"),
        ("actor.actor_id == 12abc", "actor.actor_id == '12abc'"),
        ("input.text == 退款", "input.text == '退款'"),
        ("metadata.房间 == 'a'", "metadata.\"房间\" == 'a'"),
        ("my-key.x == 'a'", "\"my-key\".x == 'a'"),
        ("metadata['a-b'] == 'x'", "metadata.\"a-b\" == 'x'"),
        ("event['actor']['actor_id'] == 'x'", "event.actor.actor_id == 'x'"),
        ("input.text == `wat`", "input.text == 'wat'"),
        ("input.text ＝＝ “你好，世界”", "input.text == '你好，世界'"),
        ("contains_any（input.text，['退款'、'退货']）", "contains_any(input.text,['退款','退货'])"),
        ("！mentions_bot（）", "!mentions_bot()"),
        ("bot_id = 'a' or 'b'", "one_of(bot_id, ['a', 'b'])"),
        ("bot_id = 'and, or not in'", "bot_id == 'and, or not in'"),
        ("metadata.in = 'x' and metadata.not = 'y'", "metadata.in == 'x' && metadata.not == 'y'"),
    ],
)
def test_rewritten(written: str, meant: str) -> None:
    """A filter as another language writes it is put as JMESPath writes it."""
    found = rewrite(written)

    assert found is not None
    assert found.text == meant


@pytest.mark.parametrize(
    "written", ["input.text ==", "'", "a b c", "a + b", "", "input.text == 'don't'", "))"]
)
def test_left_alone(written: str) -> None:
    """Where nobody can say what is meant, nothing is suggested."""
    assert rewrite(written) is None


@pytest.mark.parametrize(
    ("written", "part"),
    [
        ("bot_id = 'b' and now > 5", "="),
        ("now > `1` and bot_id = 'b'", "and"),
        ("bot_id not  in ['x']", "not  in"),
        ("bot_id is not null", "is not null"),
        ("input.text == “退款”", "“退款”"),
        ("contains_any(input.text，['a'])", "，"),
        ("metadata.a-b == 'x'", "a-b"),
        ("{{bot_id}} == 'b'", "{"),
    ],
)
def test_place(written: str, part: str) -> None:
    """The place is the first thing that is not JMESPath."""
    found = rewrite(written)

    assert found is not None
    assert written[found.offset : found.offset + found.width] == part


def test_suggestions_are_right() -> None:
    """What is suggested raises nothing itself."""
    for written in ("actor.actor_id == 42 and not mentions_bot()", "'退款' in input.text or now > 5"):
        found = rewrite(written)

        assert found is not None
        assert check_filters([(found.text, parse(found.text))], ("message.received",)) == [[]]


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_never_fails_and_can_be_read(expr: str) -> None:
    """For any text there is either nothing or an expression that can be read, and a place in the text."""
    found = rewrite(expr)

    if found is not None:
        assert parse(found.text).kind
        assert 0 <= found.offset <= len(expr)
        assert found.cause


@given(st.text(max_size=60))
def test_any_text(expr: str) -> None:
    """No text is too strange."""
    assert rewrite(expr) is None or parse(rewrite(expr).text).kind  # type: ignore[union-attr]
