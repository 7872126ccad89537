"""Runs, bindings, conversations, runners and tokens as a terminal shows them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import yaml
from pydantic import ValidationError

from langbot_agents.schemas.bindings import AgentBinding
from langbot_agents.schemas.records import RunWarning
from langbot_agents.schemas.text import localized

from ..clock import from_rfc3339
from ..texts import process_language, t
from .operating import Record
from .output import Output, Part, one_line
from .run_warnings import print_warnings

_STYLE = {
    "completed": "green",
    "running": "cyan",
    "queued": "cyan",
    "live": "green",
    "ready": "green",
    "paused": "yellow",
    "disabled": "dim",
}


def print_runs(out: Output, page: Sequence[Record]) -> None:
    """A table of runs."""
    if not page:
        out.line((t("no runs"), "dim"))
        return
    rows = _head(t("created"), t("status"), t("binding"), t("took"), t("run"), "")
    for run in page:
        rows.append(
            [
                when(out, run["created_at"]),
                _state(run["status"]),
                str(run["binding_id"]),
                took(run),
                str(run["run_id"]),
                (_why(run), "dim"),
            ]
        )
    out.table(rows)


def print_run(out: Output, run: Record, results: Sequence[Record]) -> None:
    """A run, then what it said and did."""
    out.line((str(run["run_id"]), "bold"), "  ", _state(run["status"]))
    package = " ".join(filter(None, (run["runner_distribution"], run["runner_version"])))
    tokens = run["usage"] or {}
    used = ", ".join(f"{name} {count}" for name, count in tokens.items() if isinstance(count, int) and count)
    _facts(
        out,
        (t("why"), _why(run)),
        (t("event"), run["event_uid"]),
        (t("binding"), run["binding_id"]),
        (t("runner"), f"{run['runner_id']} ({package})" if package else run["runner_id"]),
        (t("attempt"), run["attempt"]),
        (t("created"), when(out, run["created_at"])),
        (t("took"), took(run)),
        (t("models"), ", ".join(run["models"])),
        (t("tokens"), used),
    )
    warnings = [RunWarning.model_validate(item) for item in run["warnings"]]
    print_warnings(out, run["binding_id"], warnings)
    if results:
        out.line()
        out.line((t("results"), "bold"))
        out.table(
            [(str(item["sequence"]), str(item["type"]), one_line(_gist(item), 90)) for item in results],
            indent=2,
        )


def print_bindings(out: Output, found: Sequence[Record]) -> None:
    """A table of bindings."""
    if not found:
        out.line((t("no bindings"), "dim"))
        return
    rows = _head(t("binding"), t("state"), t("priority"), t("takes"), t("runner"), t("file"), "")
    for item in found:
        types = ", ".join(item["event_types"] or ())
        rows.append(
            [
                str(item["binding_id"] or "-"),
                _binding_state(item),
                "-" if item["priority"] is None else str(item["priority"]),
                types or "-",
                str(item.get("runner_id") or "-"),
                str(item.get("origin") or "-"),
                (str(item.get("reason") or ""), "dim"),
            ]
        )
    out.table(rows)


def print_binding(out: Output, item: Record) -> None:
    """A binding: its state, then its document."""
    out.line((str(item["binding_id"]), "bold"), "  ", _binding_state(item))
    _facts(
        out,
        (t("why"), item.get("reason")),
        (t("since"), when(out, item.get("paused_at")) if item.get("paused_at") else None),
        (t("file"), item.get("origin")),
        (t("runner"), item.get("runner_id")),
        (t("revision"), item.get("revision")),
    )
    if item["document"] is None:
        return
    out.line()
    text = yaml.safe_dump(_stated(item["document"]), allow_unicode=True, sort_keys=False, width=100)
    for line in text.rstrip().splitlines():
        out.line(line, indent=2)


def _stated(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A binding's document without what is so by default."""
    try:
        binding = AgentBinding.model_validate(document)
    except ValidationError:  # a mask may stand where something else is wanted
        return document
    head = {"apiVersion": binding.apiVersion, "kind": binding.kind}
    return {**head, **binding.model_dump(mode="json", by_alias=True, exclude_defaults=True)}


def print_conversations(out: Output, page: Sequence[Record]) -> None:
    """A table of conversations."""
    if not page:
        out.line((t("no conversations"), "dim"))
        return
    rows = _head(t("last change"), t("conversation"), t("source"), t("turns"), t("key"))
    for item in page:
        rows.append(
            [
                when(out, item["updated_at"]),
                str(item["conversation_id"]) + (f" / {item['thread_id']}" if item["thread_id"] else ""),
                str(item["bot_id"] or item["source_name"]),
                str(item["turn_count"]),
                str(item["conversation_key"]),
            ]
        )
    out.table(rows)


def print_conversation(out: Output, item: Record) -> None:
    """A conversation and the end of its history."""
    out.line((str(item["conversation_id"]), "bold"))
    _facts(
        out,
        (t("key"), item["conversation_key"]),
        (t("source"), item["bot_id"] or item["source_name"]),
        (t("turns"), item["turn_count"]),
        (t("begun"), when(out, item["created_at"])),
        (t("last change"), when(out, item["updated_at"])),
        (t("reset"), when(out, item["reset_at"]) if item["reset_at"] else None),
    )
    history = item["history"]
    if not history:
        return
    out.line()
    if item["has_more"]:
        out.line((t("… older entries are left out: `--limit` shows more"), "dim"), indent=2)
    mark = int(item["reset_seq"])
    for entry in history:
        if mark and entry["sequence"] > mark:
            out.line((t("— reset: what is above is not shown to runners —"), "yellow"), indent=2)
            mark = 0
        who = entry["actor_id"] if entry["role"] == "user" else None
        out.line((f"{who or entry['role']}: ", "bold"), one_line(_spoken(entry["content"]), 200), indent=2)
    if mark:
        out.line((t("— reset: what is above is not shown to runners —"), "yellow"), indent=2)


def print_runner(out: Output, item: Record, users: Sequence[str]) -> None:
    """A runner: what it is, can do, asks for and takes."""
    language = process_language()
    out.line((str(item["id"]), "bold"), "  ", _state(item["state"]))
    plugin = item["plugin"] or {}
    able = [name for name, wanted in item["capabilities"].items() if wanted]
    asks = [f"{kind}: {', '.join(verbs)}" for kind, verbs in item["permissions"].items() if verbs]
    _facts(
        out,
        (t("why"), item["reason"]),
        (t("about"), localized(item["description"], language)),
        (t("alias"), ", ".join(item["aliases"])),
        (t("package"), f"{plugin['distribution']} {plugin['version']}" if plugin else None),
        (t("can"), ", ".join(able)),
        (t("asks for"), "; ".join(asks)),
        (t("used by"), ", ".join(users)),
    )
    properties = item["config_schema"].get("properties") or {}
    if properties:
        required = set(item["config_schema"].get("required") or ())
        out.line()
        out.line((t("runner_config"), "bold"))
        rows: list[Sequence[Part]] = []
        for name, field in properties.items():
            state = t("required") if name in required else one_line(field.get("default"), 30)
            rows.append(
                [name, (state, "yellow" if name in required else "dim"), field.get("description", "")]
            )
        out.table(rows, indent=2)


def print_tokens(out: Output, found: Sequence[Record]) -> None:
    """A table of tokens."""
    if not found:
        out.line((t("no tokens; the host's own commands need none"), "dim"))
        return
    rows = _head(t("token"), t("workspace"), t("scopes"), t("ends"), t("may name"))
    for item in found:
        rows.append(
            [
                str(item["name"]),
                str(item["workspace_id"]),
                ", ".join(item["scopes"]),
                when(out, item["expires_at"]) if item["expires_at"] else t("never"),
                may_name(item["may_state"]),
            ]
        )
    out.table(rows)


def may_name(stated: Mapping[str, Any]) -> str:
    """What a token may state of an event, in words."""
    kinds = ((t("bots"), "bots"), (t("actors"), "actors"), (t("event types"), "event_types"))
    return "; ".join(f"{word} {', '.join(stated[key])}" for word, key in kinds if stated.get(key)) or "-"


def when(out: Output, text: str | None) -> str:
    """A moment of a record, as tables show it."""
    return out.moment(_moment(text))


def took(run: Record) -> str:
    """How long a run took."""
    begun, ended = _moment(run["started_at"]), _moment(run["ended_at"])
    return "" if begun is None or ended is None else f"{(ended - begun).total_seconds():.2f} s"


def _moment(text: str | None) -> datetime | None:
    return None if text is None else from_rfc3339(text)


def _why(run: Record) -> str:
    if run["status"] == "completed":
        return ""
    return ": ".join(str(part) for part in (run["code"], run["reason"]) if part)


def _state(word: Any) -> Part:
    return (str(word), _STYLE.get(str(word), "red"))


def _binding_state(item: Record) -> Part:
    if item.get("stale") and item["state"] == "live":
        return (t("live (last good; the file has an error)"), "yellow")
    return _state(item["state"])


def _head(*names: str) -> list[list[Part]]:
    return [[(name, "dim") for name in names]]


def _facts(out: Output, *facts: tuple[str, Any]) -> None:
    rows: list[list[Part]] = [[(name, "dim"), str(value)] for name, value in facts if value not in (None, "")]
    out.table(rows, indent=2)


def _gist(item: Record) -> Any:
    """What a person wants to see of a result."""
    data = item["data"]
    for name in ("chunk", "message"):
        inner = data.get(name)
        if isinstance(inner, Mapping) and "content" in inner:
            return _spoken(inner["content"])
    return data


def _spoken(content: Any) -> str:
    """The text of a message's content; other parts by their kind."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    return " ".join(
        str(part.get("text") or f"[{part.get('type')}]") if isinstance(part, Mapping) else str(part)
        for part in parts
    )
