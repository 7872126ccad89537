"""What is said to move is what the two decisions say, and nothing that moves is left out."""

from pathlib import Path

from hypothesis import given, settings

from langbot_agents.framework.bindings import BindingEntry, BindingSet
from langbot_agents.framework.comparison import Comparison, SetChange, Side
from langbot_agents.framework.router import EventRouter, RoutedEvent

from ..routing_worlds import happenings, worlds

NOON = 1_772_625_600.0
NOWHERE = Path("/nowhere")


@settings(max_examples=500, deadline=None)
@given(worlds(), worlds(), happenings())
def test_moves_are_the_difference_of_the_decisions(
    one: list[BindingEntry], other: list[BindingEntry], event: RoutedEvent
) -> None:
    """Answer and observers move as the router decides; an event that nothing concerns is decided alike."""
    old, new = BindingSet(one), BindingSet(other)
    router = EventRouter()
    before, after = router.decide(event, old, NOON), router.decide(event, new, NOON)
    comparison = Comparison(Side.of(old, NOWHERE), Side.of(new, NOWHERE))
    moves = comparison.moves(event, NOON)
    answers = [(move.before, move.after) for move in moves if move.kind == "answer"]
    went = {move.before for move in moves if move.kind == "observer" and move.after is None}
    came = {move.after for move in moves if move.kind == "observer" and move.before is None}

    assert answers == ([] if before.winner == after.winner else [(before.winner, after.winner)])
    assert went == set(before.observers) - set(after.observers)
    assert came == set(after.observers) - set(before.observers)
    assert all(move.cause.sentence() for move in moves)
    if not SetChange(old, new).concerns(event, NOON):
        assert before.entries == after.entries


@settings(max_examples=200, deadline=None)
@given(worlds(), happenings())
def test_nothing_moves_between_a_set_and_itself(world: list[BindingEntry], event: RoutedEvent) -> None:
    """Two sets that say the same move nothing."""
    sides = [Side.of(BindingSet(world), NOWHERE) for _ in range(2)]
    comparison = Comparison(*sides)
    comparison.add(event, NOON, "e")

    assert comparison.change.nothing
    assert (comparison.events, comparison.moved, comparison.groups) == (1, 0, [])


@settings(max_examples=200, deadline=None)
@given(worlds(), happenings())
def test_a_cause_names_a_binding_that_changed(world: list[BindingEntry], event: RoutedEvent) -> None:
    """Whatever moves when bindings are taken out moves because of one of them."""
    left = world[::2]
    gone = {entry.binding_id for entry in world[1::2]}
    comparison = Comparison(Side.of(BindingSet(world), NOWHERE), Side.of(BindingSet(left), NOWHERE))

    for move in comparison.moves(event, NOON):
        assert move.cause.code == "removed"
        assert move.cause.binding_id in gone
