"""The parts of a filter with their values, for people who ask why."""

import json
from typing import Any

from hypothesis import given, settings

from langbot_agents.framework.filters import FilterSyntaxError, Frame, compile_filter, evaluate_leg
from langbot_agents.framework.filters.parts import Part, parts_of

from .expressions import events, expressions

EVENT = {"actor": {"actor_id": "7"}, "input": {"text": None}, "l": [{"a": 1}]}


def parts(expr: str, event: dict[str, Any] = EVENT) -> list[Part]:
    """The legs of a filter with their parts."""
    return [parts_of(leg, event, Frame(event)) for leg in compile_filter(expr).legs]


def test_each_leg_has_its_truth_and_its_operands_their_values() -> None:
    """A leg comes with what it looked at; literals say nothing new."""
    first, second = parts("actor.actor_id == '7' && contains(input.text, 'x')")

    assert (first.truth, [(part.text, part.value) for part in first.parts]) == (
        "true",
        [("actor.actor_id", "7")],
    )
    assert (second.truth, second.offset) == ("error", 25)
    assert second.reason == "contains() wants array or string for `subject`, got null"
    assert [(part.text, part.value, part.offset) for part in second.parts] == [("input.text", None, 34)]


def test_what_is_in_a_condition_is_taken_apart() -> None:
    """The sides of `||`, and what is in brackets, are parts with parts of their own."""
    (leg,) = parts("(actor.actor_id == '8' || !(l[?a == `1`] == `[]`))")
    left, right = leg.parts

    assert (leg.truth, left.truth, right.truth) == ("true", "false", "true")
    assert left.parts[0].value == "7"
    assert right.parts[0].parts[0].text == "l[?a == `1`]"
    assert right.parts[0].parts[0].parts == ()


@settings(max_examples=300, deadline=None)
@given(expressions, events)
def test_parts_agree_with_the_filter(expr: str, event: dict[str, Any]) -> None:
    """Whatever the filter and the event, its legs come out as the filter's do, and can be printed as JSON."""
    try:
        compiled = compile_filter(expr)
    except FilterSyntaxError:
        return
    for leg, part in zip(compiled.legs, parts(expr, event), strict=True):
        assert part.truth == evaluate_leg(leg, event).truth
        assert json.dumps(part.as_dict())
        assert expr.startswith(part.text, part.offset)
