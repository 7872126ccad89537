"""`runner_config` against the schema that its runner declares."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, relevance

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from ..documents import MASK, Finding, LoadedDocument, Masker, Path, is_reference, is_secret_name, nearest
from ..texts import t

MAX_SHOWN = 80
"""Characters of a value that a message shows."""


def check_config(
    document: LoadedDocument, binding: AgentBinding, runner: AgentRunnerDescriptor
) -> list[Finding]:
    """What does not fit, each at its place; a secret reference passes for any value."""
    try:
        errors = sorted(
            _validator(runner.id, runner.config_schema).iter_errors(thaw(binding.runner_config)),
            key=lambda error: [str(part) for part in error.absolute_path],
        )
    except Exception as error:  # isolation boundary: the schema is a package's own, and may lead nowhere
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]
        message = t("the config schema of runner {runner} fails: {reason}", runner=runner.id, reason=reason)
        remedy = t("ask the author of the package, or take another runner; this one cannot be configured")
        return [document.source.finding("LBA303", ("runner_config",), message, remedy=remedy)]
    return [finding for error in errors for finding in _findings(document, runner, error)]


@lru_cache(maxsize=256)
def _validator(runner_id: str, schema: Any) -> Draft202012Validator:
    return Draft202012Validator(thaw(schema))


def _findings(
    document: LoadedDocument, runner: AgentRunnerDescriptor, error: ValidationError
) -> Iterator[Finding]:
    error = _meant(error)
    if isinstance(error.instance, str) and is_reference(error.instance):
        return
    place: Path = ("runner_config", *error.absolute_path)
    unknown = _unknown_keys(error)
    if not unknown:
        message = t(
            "{value} does not fit runner {runner}: {cause}",
            value=_shown(place, error),
            runner=runner.id,
            cause=_cause(error),
        )
        yield document.source.finding(
            "LBA302",
            place,
            message,
            remedy=_remedy(runner, place, error),
            hidden=_is_secret(place, error),
        )
    known = sorted(_schema_of(error).get("properties", {}))
    for name in unknown:
        near = nearest(name, known)
        remedy = (
            t("did you mean {near!r}?", near=near)
            if near
            else t("the runner knows: {names}", names=", ".join(known) or "-")
        )
        message = t("runner {runner} has no setting {name!r}", runner=runner.id, name=name)
        yield document.source.finding("LBA302", (*place, name), message, remedy=remedy, at_key=True)


def _meant(error: ValidationError) -> ValidationError:
    """Of the branches of an `anyOf` the one that was meant, as far as one can tell."""
    while error.context:
        inside = [
            each
            for each in error.context
            if each.validator != "type" or each.absolute_path != error.absolute_path
        ]
        if not inside:
            return error
        error = max(inside, key=relevance)
    return error


def _schema_of(error: ValidationError) -> dict[str, Any]:
    return error.schema if isinstance(error.schema, dict) else {}


def _shown(place: Path, error: ValidationError) -> str:
    if _is_secret(place, error):
        return MASK
    text = repr(Masker().data(error.instance))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _is_secret(place: Path, error: ValidationError) -> bool:
    named = any(isinstance(part, str) and is_secret_name(part) for part in place)
    return named or _schema_of(error).get("x-selector") == "secret"


def _unknown_keys(error: ValidationError) -> list[str]:
    if error.validator != "additionalProperties" or error.validator_value is not False:
        return []
    schema = _schema_of(error)
    patterns: Iterable[str] = schema.get("patternProperties", {})
    given: Any = error.instance
    return [
        key
        for key in given
        if key not in schema.get("properties", {}) and not any(re.search(each, key) for each in patterns)
    ]


def _cause(error: ValidationError) -> str:
    wanted: Any = error.validator_value
    given: Any = error.instance
    if error.context:
        kinds = [str(each.validator_value) for each in error.context]
        return t("expected {kind}", kind=" | ".join(dict.fromkeys(kinds)))
    if error.validator == "type":
        return t("expected {kind}", kind=wanted if isinstance(wanted, str) else " | ".join(wanted))
    if error.validator in {"enum", "const"}:
        return t("allowed: {names}", names=", ".join(map(str, _choices(error))))
    if error.validator == "required":
        return t("missing: {names}", names=", ".join(name for name in wanted if name not in given))
    return f"{error.validator} {wanted}"[:MAX_SHOWN]


def _choices(error: ValidationError) -> list[Any]:
    wanted: Any = error.validator_value
    return list(wanted) if error.validator == "enum" else [wanted]


EXAMPLES: Mapping[str, str] = {
    "string": '"text"',
    "integer": "10",
    "number": "0.5",
    "boolean": "true",
    "array": "[one, two]",
    "object": "{key: value}",
    "null": "null",
}
"""How a value of each type of JSON Schema is written."""


def _remedy(runner: AgentRunnerDescriptor, place: Path, error: ValidationError) -> str:
    """What to write instead, by the kind of rule that the value breaks."""
    wanted: Any = error.validator_value
    held: Any = error.instance
    given = MASK if _is_secret(place, error) else held
    if error.validator == "type":
        return _of_type(given, [wanted] if isinstance(wanted, str) else list(wanted))
    if error.context and all(each.validator == "type" for each in error.context):
        return _of_type(given, [str(each.validator_value) for each in error.context])
    if error.validator in {"enum", "const"}:
        near = nearest(given, map(str, _choices(error))) if isinstance(given, str) else None
        if near is not None:
            return t("did you mean {near!r}?", near=near)
    if error.validator == "required":
        missing = next(name for name in wanted if name not in held)
        return t("write it: `{example}`", example=f"{missing}: …")
    if error.validator in {"maximum", "maxLength", "maxItems"}:
        return t("at most {bound}", bound=wanted)
    if error.validator in {"minimum", "minLength", "minItems"}:
        return t("at least {bound:g}", bound=wanted)
    if error.validator == "pattern":
        return t("it must match {pattern}", pattern=wanted)
    return t("`lba runners show {name}` has every setting and what it may be", name=runner.id)


def _of_type(given: Any, wanted: list[str]) -> str:
    if len(str(given)) > MAX_SHOWN:
        given = None
    if isinstance(given, str) and "string" not in wanted:
        written = given.strip().lower()
        number = _number(written)
        if "boolean" in wanted and written in {"true", "yes", "on", "false", "no", "off"}:
            return t("write {word}", word="true" if written in {"true", "yes", "on"} else "false")
        if number is not None and ("number" in wanted or ("integer" in wanted and number.is_integer())):
            return t("write it without quotes: {text}", text=given.strip())
    if isinstance(given, int | float | bool) and "string" in wanted:
        shown = str(given).lower() if isinstance(given, bool) else str(given)
        return t('quote it: "{text}"', text=shown)
    if "array" in wanted and isinstance(given, str | int | float) and given != MASK:
        return t("write it in brackets: [{value}]", value=given)
    shown = t(" or ").join(EXAMPLES.get(kind, kind) for kind in wanted)
    return t("write for example {example}", example=shown)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
