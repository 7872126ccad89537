"""The catalogue of event types as a terminal shows it, and its samples."""

import json
import sys

import yaml

from langbot_agents.schemas.catalogue import canonical_type, contract, sample, standard_types
from langbot_agents.schemas.text import localized

from ..documents import nearest
from ..errors import UsageError
from ..texts import process_language, t
from .output import Output


def print_catalogue(out: Output, form: str) -> None:
    """Every event type with its title."""
    types = standard_types()
    data = {
        "event_types": [
            {
                "name": each.name,
                "aliases": list(each.aliases),
                "title": dict(each.title),
                "description": dict(each.description),
            }
            for each in types
        ]
    }
    if form == "yaml":
        _dump_yaml(data)
        return
    language = process_language()
    out.table([((each.name, "bold"), localized(each.title, language)) for each in types])
    out.document("events-sample", data)


def print_sample(event_type: str, form: str) -> None:
    """The sample of a type, which `route` and `send` take as it is. Raises `UsageError`."""
    found = contract(event_type)
    if found is None:
        names = [name for each in standard_types() for name in (each.name, *each.aliases)]
        meant = nearest(event_type, names)
        raise UsageError(
            t("{name!r} is no event type of the catalogue", name=event_type),
            remedy=t("did you mean {near!r}?", near=meant)
            if meant
            else t("`lba events sample` lists the event types"),
        )
    data = sample(canonical_type(event_type))
    if form == "yaml":
        _dump_yaml(data)
    else:
        json.dump(data, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")


def _dump_yaml(data: object) -> None:
    yaml.safe_dump(data, sys.stdout, allow_unicode=True, sort_keys=False)
