"""`serve --once`: two sample events through a host in this process, for everybody to see."""

import time
from typing import Any

import anyio

from ..app import Host, open_host
from ..project import Project
from ..texts import t
from .embedded import EmbeddedHost
from .event_input import read_event
from .explanation import explain
from .explanation_text import headline
from .options import Session
from .reply import Reply, ending
from .sending import through

SAMPLES = ("message.received", "group.member_joined")


def run_once(session: Session, project: Project) -> int:
    """Send the samples, show decision and reply of each; 0 if both were answered."""
    results = anyio.run(_run, session, project)
    answered = all(result["answered"] for result in results)
    session.output.line()
    if answered:
        session.output.line(("√ ", "green"), t("both were answered"))
    else:
        session.output.line(("x ", "bold red"), t("not both were answered"))
    session.output.document("serve-once", {"answered": answered, "events": results})
    return 0 if answered else 1


async def _run(session: Session, project: Project) -> list[dict[str, Any]]:
    async with open_host(project) as host:
        return [await _one(session, host, name) for name in SAMPLES]


async def _one(session: Session, host: Host, name: str) -> dict[str, Any]:
    out = session.output
    given = read_event(name).fresh()
    explained = explain(host.project, given, time.time())
    out.line()
    out.line((name, "bold"), "  ", (t("sample of the catalogue"), "dim"))
    out.line(*headline(explained), indent=2)
    others = ", ".join(
        f"{len(lines)} {code}" for code, lines in explained.by_code.items() if code != "selected"
    )
    if others:
        out.line((t("the others: {counts}", counts=others), "dim"), indent=4)
    reply = Reply(out=out, indent="    ")
    decision = await through(EmbeddedHost(host), given.data, reply)
    result = ending(reply.done, decision)
    answered = result.answered and bool(reply.messages)
    uid = str(reply.accepted.get("event_uid"))
    out.line(result.mark, result.sentence, "  ", (uid, "dim"), indent=2)
    return {
        "answered": answered,
        "sentence": result.sentence,
        "decision": decision,
        "messages": reply.messages,
        **reply.done,
    }
