"""The OpenAPI 3.1 description of the host, made of the table of endpoints and the models."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, models_json_schema
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from langbot_agents.schemas import __version__

from .endpoints import Access, Answer, Body, Endpoint, Parameter
from .models import Problem

PROBLEM_JSON = "application/problem+json"
_PLACE = re.compile(r"\{(\w+)(?::\w+)?\}")
_CLOUDEVENT = ("specversion", "id", "source", "type")
_EVENT_STREAM = {"schema": {"type": "string", "description": "Server-sent events."}}
_ACCESS: Mapping[Access, str] = {
    "open": "Needs no token.",
    "token": "Needs any token.",
    "local": "Needs the host's own token, of `host.json`.",
}

Model = type[BaseModel]
Key = tuple[Model, Literal["validation", "serialization"]]


class _Generator(GenerateJsonSchema):
    """Draft 2020-12, without the titles that only repeat a field's name."""

    def field_title_should_be_set(self, _schema: Any) -> bool:
        return False


async def get_openapi(request: Request) -> Response:
    """This description of the host's HTTP, as OpenAPI 3.1."""
    document: dict[str, Any] = request.app.state.openapi
    return JSONResponse(document)


def openapi(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    """The whole description; the same for the same endpoints."""
    endpoints = tuple(endpoints)
    references, definitions = _schemas(endpoints)
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        operation = _operation(endpoint, references)
        paths.setdefault(path_of(endpoint), {})[endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "langbot-agents",
            "version": __version__,
            "description": "Events in, bindings decide, runners answer.",
        },
        "paths": paths,
        "components": {
            "schemas": definitions,
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
        },
    }


def path_of(endpoint: Endpoint) -> str:
    """The path as OpenAPI writes it."""
    return _PLACE.sub(r"{\1}", endpoint.path)


def _schemas(endpoints: tuple[Endpoint, ...]) -> tuple[dict[Key, Any], dict[str, Any]]:
    keys: dict[Key, None] = {(Problem, "serialization"): None}
    for endpoint in endpoints:
        if endpoint.body is not None and endpoint.body.model is not None:
            keys[endpoint.body.model, "validation"] = None
        for answer in endpoint.answers.values():
            if answer.model is not None:
                keys[answer.model, "serialization"] = None
    wanted: list[tuple[Model, JsonSchemaMode]] = list(keys)
    references, document = models_json_schema(
        wanted, ref_template="#/components/schemas/{model}", schema_generator=_Generator
    )
    definitions: dict[str, Any] = document["$defs"]
    found: dict[Key, Any] = {key: references[key] for key in keys}
    for endpoint in endpoints:
        if endpoint.body is not None and endpoint.body.model is not None and endpoint.body.partial:
            _add_partial(endpoint.body.model, endpoint.body.partial, found, definitions)
    return found, definitions


def _add_partial(
    model: Model, needed: tuple[str, ...], references: dict[Key, Any], definitions: dict[str, Any]
) -> None:
    """A model of which only these fields are needed, since the host fills the others."""
    name = f"Posted{model.__name__}"
    whole: str = references[model, "validation"]["$ref"].rpartition("/")[2]
    if whole != name:
        text = f"{model.__name__} as it is sent: the host fills what is left out."
        definitions[name] = {**definitions.pop(whole), "required": list(needed), "description": text}
        references[model, "validation"] = {"$ref": f"#/components/schemas/{name}"}


def _operation(endpoint: Endpoint, references: Mapping[Key, Any]) -> dict[str, Any]:
    summary = (endpoint.handler.__doc__ or "").strip().splitlines()[0]
    needs = _ACCESS.get(endpoint.access, f"Needs the scope `{endpoint.access}`.")
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "summary": summary,
        "description": needs,
        "tags": [endpoint.tag],
        "security": [] if endpoint.access == "open" else [{"bearer": _roles(endpoint.access)}],
    }
    parameters = [*_path_parameters(endpoint), *map(_parameter, endpoint.parameters)]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        operation["requestBody"] = _body(endpoint.body, references)
    operation["responses"] = {
        **{str(status): _answer(answer, references) for status, answer in endpoint.answers.items()},
        "default": {
            "description": "Why it was refused.",
            "content": {PROBLEM_JSON: {"schema": references[Problem, "serialization"]}},
        },
    }
    return operation


def _roles(access: Access) -> list[str]:
    return [] if access in _ACCESS else [access]


def _path_parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in _PLACE.findall(endpoint.path)
    ]


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.description,
        "schema": dict(parameter.schema),
    }


def _body(body: Body, references: Mapping[Key, Any]) -> dict[str, Any]:
    schema: Any = {} if body.schema is None else dict(body.schema)
    if body.model is not None:
        schema = references[body.model, "validation"]
    content: dict[str, Any] = {media: {"schema": schema} for media in body.media_types}
    for media in content:
        if media.startswith("application/cloudevents"):
            content[media] = {"schema": {"type": "object", "required": list(_CLOUDEVENT)}}
    return {"description": body.description, "required": body.required, "content": content}


def _answer(answer: Answer, references: Mapping[Key, Any]) -> dict[str, Any]:
    response: dict[str, Any] = {"description": answer.description}
    if answer.model is not None:
        response["content"] = {"application/json": {"schema": references[answer.model, "serialization"]}}
        if answer.streams:
            response["content"]["text/event-stream"] = _EVENT_STREAM
    return response
