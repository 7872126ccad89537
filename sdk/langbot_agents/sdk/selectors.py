"""Config fields in which a person names a resource; naming it there grants it."""

from typing import Annotated

from pydantic import Field

ModelSelector = Annotated[str, Field(json_schema_extra={"x-selector": "llm-model-selector"})]
"""Name of a language model."""

KnowledgeBaseSelector = Annotated[
    tuple[str, ...], Field(json_schema_extra={"x-selector": "knowledge-base-multi-selector"})
]
"""Names of knowledge bases."""

ToolSelector = Annotated[tuple[str, ...], Field(json_schema_extra={"x-selector": "tool-multi-selector"})]
"""Names of tools."""

FileSelector = Annotated[str, Field(json_schema_extra={"x-selector": "file-selector"})]
"""Name of a file."""

Secret = Annotated[str, Field(json_schema_extra={"x-selector": "secret"})]
"""A secret; write it as `${env:NAME}`."""
