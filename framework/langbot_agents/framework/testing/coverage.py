"""What cases have exercised: which bindings were chosen, and which legs of filters came out both ways."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..bindings import BindingEntry, BindingSet
from ..explanation import Place, Places
from ..filters import Frame, evaluate_leg
from ..router import RoutedEvent
from .deciding import Decided


@dataclass(frozen=True, kw_only=True)
class LegCoverage:
    """One leg of a filter, and whether a case saw it true and another false."""

    text: str
    place: Place
    true: bool
    false: bool

    @property
    def covered(self) -> int:
        """How many of its two outcomes were seen."""
        return self.true + self.false

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {"leg": self.text, **self.place.as_dict(), "true": self.true, "false": self.false}


@dataclass(frozen=True, kw_only=True)
class BindingCoverage:
    """One binding that takes part: how many cases chose it, and its legs."""

    binding_id: str
    place: Place
    chosen: int
    legs: tuple[LegCoverage, ...]

    @property
    def items(self) -> int:
        """What there is to see of it: that it is chosen, and both outcomes of each leg."""
        return 1 + 2 * len(self.legs)

    @property
    def covered(self) -> int:
        """What of that was seen."""
        return (self.chosen > 0) + sum(leg.covered for leg in self.legs)

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "binding_id": self.binding_id,
            **self.place.as_dict(),
            "chosen": self.chosen,
            "covered": self.covered,
            "items": self.items,
            "legs": [leg.as_dict() for leg in self.legs],
        }


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """All bindings that take part, in the order of their files."""

    bindings: tuple[BindingCoverage, ...]

    @property
    def percent(self) -> float:
        """How much was seen, of a hundred; all where there is nothing to see."""
        items = sum(item.items for item in self.bindings)
        return 100.0 * sum(item.covered for item in self.bindings) / items if items else 100.0

    def as_dict(self) -> dict[str, Any]:
        """It as JSON data."""
        return {
            "percent": round(self.percent, 1),
            "bindings": [item.as_dict() for item in self.bindings],
        }


def coverage_of(
    bindings: BindingSet,
    decided: Iterable[Decided],
    root: Path,
    *,
    only: Collection[str] | None = None,
) -> Coverage:
    """What the decided events have exercised of the bindings that take part, or of `only` those ids."""
    entries = [entry for entry in bindings.live if only is None or entry.binding_id in only]
    chosen: dict[str, int] = {}
    seen: dict[str, list[set[str]]] = {
        entry.binding_id: [set() for compiled in entry.filters for _ in compiled.legs] for entry in entries
    }
    for item in decided:
        for name in (item.decision.winner, *item.decision.observers):
            if name is not None:
                chosen[name] = chosen.get(name, 0) + 1
        document = {**item.event.json, "now": item.clock}
        for entry in entries:
            if not entry.filters or not reaches_filters(entry, item.event):
                continue
            legs = [leg for compiled in entry.filters for leg in compiled.legs]
            for outcomes, leg in zip(seen[entry.binding_id], legs, strict=True):
                frame = Frame(document, now=item.clock, timezone=bindings.timezone)
                outcomes.add(evaluate_leg(leg, document, frame).truth)
    places = Places(root)
    found = [_covered(entry, chosen, seen[entry.binding_id], places) for entry in entries]
    return Coverage(bindings=tuple(sorted(found, key=lambda item: (item.place.file, item.place.line))))


def reaches_filters(entry: BindingEntry, event: RoutedEvent) -> bool:
    """Whether an event passes the type and scope of a binding."""
    return entry.type_rank(event.event_type) is not None and all(
        term.matches(actual) for term, actual in zip(entry.scope, event.scope, strict=True)
    )


def _covered(
    entry: BindingEntry, chosen: dict[str, int], seen: list[set[str]], places: Places
) -> BindingCoverage:
    legs = [
        (leg, places.at(entry, ("filters", index), leg.offset))
        for index, compiled in enumerate(entry.filters)
        for leg in compiled.legs
    ]
    return BindingCoverage(
        binding_id=entry.binding_id,
        place=Place(file=entry.file, line=entry.line),
        chosen=chosen.get(entry.binding_id, 0),
        legs=tuple(
            LegCoverage(text=leg.text, place=place, true="true" in outcomes, false="false" in outcomes)
            for (leg, place), outcomes in zip(legs, seen, strict=True)
        ),
    )
