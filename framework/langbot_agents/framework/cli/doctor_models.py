"""How the declared models are: their provider, their key, and with `--connect` their service."""

from collections.abc import Mapping

import httpx2

from langbot_agents.schemas.host import ModelSettings

from ..errors import LangbotAgentsError
from ..project import Project
from ..texts import t
from .doctor_check import Check, Checks

OPENAI = "https://api.openai.com/v1"


def model_checks(project: Project, *, connect: bool) -> Checks:
    """Each declared model."""
    if not project.settings.models:
        yield Check(area="model", status="ok", message=t("none declared; runners that need none work"))
    for settings in project.settings.models:
        yield _model(project, settings, connect=connect)


def _model(project: Project, settings: ModelSettings, *, connect: bool) -> Check:
    name = settings.name
    if settings.provider not in project.models.providers:
        return Check(
            area="model",
            status="bad",
            message=t("{name}: no provider {provider!r} is installed", name=name, provider=settings.provider),
            remedy=t("installed: {names}", names=", ".join(project.models.providers) or "-"),
        )
    key = None if settings.api_key is None else settings.api_key.get_secret_value()
    try:
        resolved: Mapping[str, str | None] = project.secrets.resolve(
            {"api_key": key, "base_url": settings.base_url}
        )
    except LangbotAgentsError as error:
        return Check(area="model", status="bad", message=f"{name}: {error.message}", remedy=error.remedy)
    place = resolved["base_url"] or t("the provider's own address")
    what = t("{name}: {model} at {place}", name=name, model=settings.model, place=place)
    if not connect or settings.provider != "openai":
        said = t("its key is there") if key else t("without a key")
        return Check(area="model", status="ok", message=f"{what}, {said}")
    answer = _asked(settings.model, resolved["base_url"] or OPENAI, resolved["api_key"])
    return Check(
        area="model", status=answer.status, message=f"{what}: {answer.message}", remedy=answer.remedy
    )


def _asked(model: str, base_url: str, key: str | None) -> Check:
    """What the service says when it is asked for its models."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    try:
        response = httpx2.get(f"{base_url.rstrip('/')}/models", headers=headers, timeout=10.0)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        return Check(
            area="model",
            status="bad",
            message=t("cannot be reached: {cause}", cause=str(error) or type(error).__name__),
            remedy=t("check base_url, the network, and whether the service runs"),
        )
    status = response.status_code
    if status in (401, 403):
        return Check(
            area="model",
            status="bad",
            message=t("it refuses the key ({status})", status=status),
            remedy=t("check api_key of the model in langbot-agents.yaml, and the secret behind it"),
        )
    if status == 429:
        return Check(
            area="model",
            status="warn",
            message=t("it answers, but takes nothing more just now (429)"),
            remedy=t("wait, or look at the quota of the account"),
        )
    if status >= 500:
        return Check(
            area="model",
            status="bad",
            message=t("it has a fault of its own ({status})", status=status),
            remedy=t("try again later, or ask who runs it"),
        )
    known = _listed(response) if status == 200 else []
    if known and model not in known:
        return Check(
            area="model",
            status="warn",
            message=t("it answers, but lists no model {model!r}", model=model),
            remedy=t("it lists {names}", names=", ".join(known[:10]) + (" …" if len(known) > 10 else "")),
        )
    if status != 200:
        return Check(
            area="model",
            status="warn",
            message=t("it answers, but does not list its models ({status})", status=status),
            remedy=t("check that base_url ends where the service says, often in /v1"),
        )
    return Check(area="model", status="ok", message=t("it answers and takes the key"))


def _listed(response: httpx2.Response) -> list[str]:
    try:
        data = response.json()["data"]
        return [str(item["id"]) for item in data]
    except (ValueError, KeyError, TypeError):
        return []
