"""What every model shares: frozen values, wire models that keep unknown keys, documents that refuse them."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, PlainValidator, StringConstraints, WithJsonSchema

MAX_JSON_DEPTH = 64
"""How deep free JSON may nest; deeper input is refused instead of exhausting the stack."""

_V = TypeVar("_V")


class FrozenDict(dict[str, _V]):
    """A dict that cannot be changed, so that it still is JSON for every serialiser.

    What it holds is frozen already: make one with `freeze`, or of scalars.
    """

    __slots__ = ()

    def _refuse(self, *_args: object, **_kwargs: object) -> NoReturn:
        raise TypeError("this mapping is frozen; build a new one with {**mapping, ...}")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __copy__(self) -> "FrozenDict[_V]":
        return self

    def __deepcopy__(self, _memo: object) -> "FrozenDict[_V]":
        return self

    def __reduce__(self) -> tuple[type["FrozenDict[_V]"], tuple[dict[str, _V]]]:
        return FrozenDict, (dict(self),)


def _check_unicode(text: str) -> None:
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("text with a lone surrogate is not valid Unicode") from None


def freeze(value: Any, depth: int = MAX_JSON_DEPTH) -> Any:
    """Give the frozen form of a JSON value: tuples for lists, `FrozenDict` for objects.

    Raises `ValueError` for what JSON cannot hold: other types, keys that are not strings, NaN and
    infinities, lone surrogates, more than `MAX_JSON_DEPTH` levels.
    """
    if value is None or value is True or value is False or type(value) is FrozenDict:
        return value
    if isinstance(value, str):
        _check_unicode(value)
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value!r} is not a JSON number")
        return value
    if depth <= 0:
        raise ValueError(f"nested deeper than {MAX_JSON_DEPTH} levels")
    if isinstance(value, BaseModel):
        return freeze(value.model_dump(mode="json", by_alias=True), depth)
    if isinstance(value, Mapping):
        frozen: dict[str, Any] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(f"key {key!r} is not a string")
            frozen[freeze(key)] = freeze(item, depth - 1)
        return FrozenDict(frozen)
    if isinstance(value, list | tuple):
        return tuple(freeze(item, depth - 1) for item in value)
    raise ValueError(f"{type(value).__name__} is not a JSON value")


def thaw(value: Any) -> Any:
    """Give a mutable copy of a frozen JSON value, with lists and dicts."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


def _frozen_object(value: Any) -> FrozenDict[Any]:
    frozen = freeze(value)
    if not isinstance(frozen, FrozenDict):
        raise ValueError(f"expected an object, got {type(value).__name__}")
    return frozen


def _string_map(value: Any) -> FrozenDict[str]:
    frozen = _frozen_object(value)
    for key, item in frozen.items():
        if not isinstance(item, str):
            raise ValueError(f"value of {key!r} must be text, got {item!r}; quote it")
    return frozen


JsonObject = Annotated[
    Mapping[str, Any],
    PlainValidator(_frozen_object, json_schema_input_type=dict[str, Any]),
    WithJsonSchema({"type": "object", "additionalProperties": True}),
]
"""A free JSON object, frozen to its leaves."""

JsonData = Annotated[Any, PlainValidator(freeze, json_schema_input_type=Any), WithJsonSchema({})]
"""Any JSON value, frozen to its leaves."""

StringMap = Annotated[
    Mapping[str, str],
    PlainValidator(_string_map, json_schema_input_type=dict[str, str]),
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string"}}),
]
"""A mapping of text to text, frozen."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$"
Name = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
"""A name that a person chose: letters, digits and `. _ : / -`, at most 128 characters."""

PlatformId = Annotated[str, StringConstraints(min_length=1, max_length=512)]
"""An id as its platform gives it, always text, also where the wire has a number."""

EVENT_TYPE_PATTERN = r"^[a-z][a-z0-9_]*(\.[a-z0-9_-]+){1,4}$"
EventType = Annotated[str, StringConstraints(pattern=EVENT_TYPE_PATTERN, max_length=200)]
"""A stable event type name such as `message.received`: two to five dotted parts in lower case."""


class Model(BaseModel):
    """A value on a wire or in the store: frozen, and unknown keys are kept and passed on."""

    # a stated least length makes pydantic read text as Unicode, so that a lone surrogate is refused
    model_config = ConfigDict(
        frozen=True, extra="allow", populate_by_name=True, allow_inf_nan=False, str_min_length=0
    )
    __pydantic_extra__: dict[str, JsonData]


class Document(BaseModel):
    """A part of a document that people write: frozen, and unknown keys are errors."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False, str_min_length=0
    )


_ModelT = TypeVar("_ModelT", bound=BaseModel)


@cache
def _template(model: type[BaseModel]) -> Mapping[str, Any]:
    """The fields of a model in their order, with what they are where they are not given."""
    found = {}
    for name, field in model.model_fields.items():
        if field.default_factory is not None:
            raise TypeError(f"{model.__name__}.{name} has a default factory")
        default = None if field.is_required() else field.default
        found[name] = freeze(default) if type(default) is dict else default
    return found


def trusted(model: type[_ModelT], /, **values: Any) -> _ModelT:
    """A value of fields that this program made itself, by their own names: nothing is checked or converted.

    It does what `model_construct` does, which costs five times as much, for models without default
    factories, aliases and private attributes of their own. What comes from outside is validated.
    """
    made = model.__new__(model)
    set_ = object.__setattr__
    set_(made, "__dict__", {**_template(model), **values})
    set_(made, "__pydantic_fields_set__", set(values))
    set_(made, "__pydantic_extra__", {} if model.model_config.get("extra") == "allow" else None)
    set_(made, "__pydantic_private__", None)
    return made


def changed(value: _ModelT, /, **values: Any) -> _ModelT:
    """The same value with other fields, as trusted as those of `trusted`; a cheaper `model_copy`."""
    made = value.__new__(type(value))
    set_ = object.__setattr__
    set_(made, "__dict__", {**value.__dict__, **values})
    set_(made, "__pydantic_fields_set__", value.__pydantic_fields_set__ | values.keys())
    set_(made, "__pydantic_extra__", value.__pydantic_extra__)
    set_(made, "__pydantic_private__", value.__pydantic_private__)
    return made


def or_text(schema: dict[str, Any]) -> None:
    """Say in a model's JSON Schema that a bare string stands for the object (`json_schema_extra`)."""
    whole = dict(schema)
    schema.clear()
    schema["anyOf"] = [{"type": "string"}, whole]
