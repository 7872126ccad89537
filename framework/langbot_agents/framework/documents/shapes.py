"""Which model stands at a place of a document, what its keys are, and which name is nearest."""

import types
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from rapidfuzz import process
from rapidfuzz.distance import OSA

from .findings import Path

_NEAR = 0.6
_MAX_DEPTH = 4


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name that was probably meant, if one is near enough."""
    found = process.extractOne(
        word, sorted(names), scorer=OSA.normalized_similarity, processor=str.lower, score_cutoff=_NEAR
    )
    return str(found[0]) if found else None


def key_names(model: type[BaseModel]) -> dict[str, Any]:
    """The keys of a model as documents spell them, with the annotation of each."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def model_at(root: type[BaseModel], path: Path) -> type[BaseModel] | None:
    """The model whose keys stand at `path`; `None` inside free data."""
    found = annotations_at(root, path)
    return next((a for a in found if isinstance(a, type) and issubclass(a, BaseModel)), None)


def annotations_at(root: type[BaseModel], path: Path) -> list[Any]:
    """What may stand at `path`, alternative by alternative."""
    annotations: list[Any] = [root]
    for step in path:
        annotations = [inner for each in annotations for inner in _step(each, step)]
    return annotations


def _step(annotation: Any, step: str | int) -> Iterator[Any]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        names = key_names(annotation)
        if step in names:
            yield from branches(names[str(step)])
    elif get_origin(annotation) is tuple and isinstance(step, int):
        yield from branches(get_args(annotation)[0])


def branches(annotation: Any) -> Iterator[Any]:
    """The alternatives of an annotation, without `Annotated` and unions."""
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from branches(get_args(annotation)[0])
    elif origin is Union or origin is types.UnionType:
        for each in get_args(annotation):
            yield from branches(each)
    else:
        yield annotation


@cache
def homes(root: type[BaseModel]) -> dict[str, tuple[str, ...]]:
    """Each key below the top and the dotted paths at which it is at home: `timeout` is `limits.timeout`."""
    found: dict[str, list[str]] = {}

    def walk(model: type[BaseModel], prefix: str, depth: int) -> None:
        for name, annotation in key_names(model).items():
            if prefix:
                found.setdefault(name, []).append(prefix + name)
            for inner in branches(annotation):
                if depth < _MAX_DEPTH and isinstance(inner, type) and issubclass(inner, BaseModel):
                    walk(inner, f"{prefix}{name}.", depth + 1)

    walk(root, "", 0)
    return {name: tuple(paths) for name, paths in found.items()}
