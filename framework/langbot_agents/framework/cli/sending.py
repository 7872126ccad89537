"""What `lba send` does: an event to a host, its reply to the terminal, how it ended to stderr."""

from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import anyio

from ..app import Host, open_host
from ..errors import UsageError
from ..project import Project
from ..texts import t
from .embedded import EmbeddedHost
from .event_input import EventInput, message, read_event
from .event_set import lay_over
from .loading import open_project
from .options import Session
from .reply import Ending, Reply, ending


def event_to_send(
    name: str | None, *, text: str | None, actor: str | None, conversation: str | None, sets: tuple[str, ...]
) -> EventInput:
    """The event that the words of the command name. Raises `UsageError`."""
    if (name is None) == (text is None):
        raise UsageError(
            t("give either EVENT or --text"),
            remedy=t('for example `lba send message.received` or `lba send --text "hello"`'),
        )
    if text is None:
        if actor is not None or conversation is not None:
            raise UsageError(
                t("--as and --in go with --text"),
                remedy=t("for EVENT write --set actor.actor_id=… or --set conversation_id=…"),
            )
        return read_event(name or "", sets).fresh()
    given = message(text, actor or "me", conversation)
    return EventInput(data=lay_over(given.data, sets), origin=given.origin, name=given.name)


def send_event(session: Session, given: EventInput, *, embedded: bool) -> int:
    """Send it to the running host, else to one of our own; gives the exit code."""
    project = open_project(session)
    reply = Reply(out=session.output)
    decision = None if embedded else _over_http(project, given.data, reply)
    via = "embedded" if decision is None else "host"
    if decision is None:
        decision = anyio.run(_in_process, project, given.data, reply)
    result = ending(reply.done, decision)
    _tell(session, reply, result)
    session.output.document(
        "send",
        {
            **reply.accepted,
            "via": via,
            "ended_well": result.well,
            "sentence": result.sentence,
            "winner": decision.get("winner"),
            "messages": reply.messages,
            **reply.done,
        },
    )
    return 0 if result.well else 1


def _over_http(project: Project, data: Mapping[str, Any], reply: Reply) -> Mapping[str, Any] | None:
    """Through the running host; gives the decision, or None where no host answers."""
    from .remote import RemoteHost

    host = RemoteHost.find(project)
    if host is None:
        return None
    try:
        for step in host.send(data):
            reply.take(step)
        return host.decision(str(reply.accepted.get("event_uid")))
    finally:
        reply.end()
        host.close()


async def _in_process(project: Project, data: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
    """Through a host in this process; gives the decision."""
    async with open_host(project) as host:
        try:
            return await through(EmbeddedHost(host), data, reply)
        except anyio.get_cancelled_exc_class():
            _hurry(host, reply)
            raise


def _hurry(host: Host, reply: Reply) -> None:
    """After Ctrl-C nobody wants to wait for the run; it is on record, so that it is not lost."""
    host.hurry(0.5)
    if reply.accepted:
        reply.out.note(t("stopped; the event is on record, and the next start of the host goes on with it"))


async def through(host: EmbeddedHost, data: Mapping[str, Any], reply: Reply) -> Mapping[str, Any]:
    """One event through an open host, its reply as it comes; gives the decision."""
    try:
        async with aclosing(host.send(data)) as steps:
            async for step in steps:
                reply.take(step)
    finally:
        reply.end()
    workspace = str(data.get("workspace_id") or "default")
    return await host.decision(str(reply.accepted.get("event_uid")), workspace)


def _tell(session: Session, reply: Reply, result: Ending) -> None:
    if session.output.as_json:
        return
    uid = str(reply.accepted.get("event_uid"))
    session.output.note(result.mark, result.sentence, "  ", (uid, "dim"))
