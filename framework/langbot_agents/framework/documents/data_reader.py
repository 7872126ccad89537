"""The data of YAML that nothing is wrong with, without the places, which half of all reading goes into."""

from typing import Any, NamedTuple

import yaml

from .builder import MAX_DEPTH, MAX_NODES, storable
from .scalars import FIRST_OF_NUMBERS, WORDS, NumberRefusedError, plain

_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class DataDocument(NamedTuple):
    """The data of one document; lines are counted from 0."""

    data: Any
    first: int
    end: int
    line: int
    """Where its content begins."""


def read_data(text: str) -> list[DataDocument] | None:
    """The documents of a text of lists and mappings; None for whatever the `Builder` has to look at.

    That is what it refuses, and tags, anchors, aliases and documents of one scalar, which are rare.
    """
    parser = _Parser(text)
    try:
        return _documents(parser.get_event)
    except (yaml.YAMLError, NumberRefusedError):
        return None
    finally:
        parser.dispose()


def _documents(get_event: Any) -> list[DataDocument] | None:  # noqa: PLR0915 - one loop, for its speed
    documents: list[DataDocument] = []
    outer: list[Any] = []
    holder: Any = None
    data: Any = None
    key: str | None = None
    first = line = nodes = 0
    scalar, mapping, mapping_end = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.MappingEndEvent
    sequence, sequence_end = yaml.SequenceStartEvent, yaml.SequenceEndEvent
    while True:
        event = get_event()
        kind = type(event)
        if kind is scalar:
            if event.tag is not None or event.anchor is not None or holder is None:
                return None
            nodes += 1
            value: Any = event.value
            if event.implicit[0]:
                if value in WORDS:
                    value = WORDS[value]
                elif value[0] in FIRST_OF_NUMBERS:
                    value = plain(value)
                elif value == "<<" and key is None:
                    return None
            elif event.style == '"' and not storable(value):
                return None
            if key is not None:
                holder[key] = value
                key = None
            elif type(holder) is list:
                holder.append(value)
            elif type(value) is str and value not in holder:
                key = value
            else:
                return None
        elif kind is mapping or kind is sequence:
            if event.tag is not None or event.anchor is not None or len(outer) >= MAX_DEPTH:
                return None
            nodes += 1
            value = {} if kind is mapping else []
            if holder is None:
                line = event.start_mark.line
            elif key is not None:
                holder[key] = value
            elif type(holder) is list:
                holder.append(value)
            else:
                return None
            outer.append(holder)
            holder, key = value, None
        elif kind is mapping_end or kind is sequence_end:
            closed, holder = holder, outer.pop()
            if holder is None:
                data = closed
        elif kind is yaml.DocumentStartEvent:
            first, data, nodes = event.start_mark.line, None, 0
        elif kind is yaml.DocumentEndEvent:
            if data is None or nodes > MAX_NODES:
                return None
            mark = event.end_mark
            end = mark.line + (mark.column > 0)
            documents.append(DataDocument(data, first, max(end, first + 1), line))
        elif kind is yaml.StreamEndEvent:
            return documents
        elif kind is not yaml.StreamStartEvent:
            return None
