"""Forms, confirmations and choices that a run shows, and what people send back."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints, model_validator

from .base import JsonData, JsonObject, Model

ItemId = Annotated[str, StringConstraints(min_length=1, max_length=128)]
Label = Annotated[str, StringConstraints(max_length=512)]


class InteractionOption(Model):
    """One choice of a select field."""

    value: Label = Field(description="What is sent back.")
    label: Label | None = Field(default=None, description="What people see; default the value.")


class InteractionField(Model):
    """One field of a form."""

    id: ItemId = Field(description="Id, unique in the request.")
    type: Literal["text", "textarea", "select", "multiselect", "number", "boolean", "file"] = Field(
        default="text", description="Kind of field."
    )
    label: Label = Field(default="", description="What people see.")
    placeholder: Annotated[str, StringConstraints(max_length=2000)] | None = Field(
        default=None, description="Hint inside an empty field."
    )
    required: bool = Field(default=False, description="Whether it must be filled; enforced by the host.")
    options: tuple[InteractionOption, ...] = Field(
        default=(), max_length=100, description="Choices of a select."
    )
    default: JsonData = Field(default=None, description="Value to start from.")

    @model_validator(mode="after")
    def _check_options(self) -> "InteractionField":
        if self.type in {"select", "multiselect"} and not self.options:
            raise ValueError(f"field {self.id!r} is a {self.type} and needs options")
        if len({option.value for option in self.options}) != len(self.options):
            raise ValueError(f"option values of field {self.id!r} must be unique")
        return self


class InteractionAction(Model):
    """One button."""

    id: ItemId = Field(description="Id, unique in the request.")
    label: Label = Field(description="What people see.")
    style: Literal["default", "primary", "danger"] = Field(default="default", description="How it looks.")


class InteractionRequest(Model):
    """What a run asks people; limits as LangBot has them."""

    interaction_id: Annotated[str, StringConstraints(min_length=1, max_length=255)] = Field(
        description="Id, unique in the run."
    )
    kind: Literal["form", "confirmation", "choice"] = Field(default="form", description="Kind of question.")
    title: Annotated[str, StringConstraints(max_length=1000)] = Field(default="", description="Heading.")
    description: Annotated[str, StringConstraints(max_length=10_000)] | None = Field(
        default=None, description="Text below the heading."
    )
    fields: tuple[InteractionField, ...] = Field(default=(), max_length=50, description="Fields in order.")
    actions: tuple[InteractionAction, ...] = Field(default=(), max_length=20, description="Buttons in order.")
    fallback_text: Annotated[str, StringConstraints(min_length=1, max_length=20_000)] = Field(
        description="What is sent where the surface has no forms."
    )
    expires_at: AwareDatetime | None = Field(
        default=None, description="When it ends; default in 30 minutes, at most a day."
    )

    @model_validator(mode="after")
    def _check_ids(self) -> "InteractionRequest":
        for what, ids in (("field", [f.id for f in self.fields]), ("action", [a.id for a in self.actions])):
            if len(set(ids)) != len(ids):
                raise ValueError(f"{what} ids must be unique in an interaction")
        return self


class InteractionSubmission(Model):
    """What a person sent back."""

    interaction_id: str = Field(description="The request it answers.")
    action_id: str | None = Field(default=None, description="The button that was pressed.")
    values: JsonObject = Field(default={}, validate_default=True, description="Field id to value.")
    submitted_at: AwareDatetime | None = Field(default=None, description="When; set by the host.")
