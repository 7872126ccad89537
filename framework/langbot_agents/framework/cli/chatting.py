"""What `lba chat` does: lines in, answers out, until the person leaves."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import aclosing, suppress
from dataclasses import dataclass
from itertools import count
from queue import SimpleQueue
from typing import Any, Literal

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal

from ..errors import LangbotAgentsError
from ..ids import new_id
from ..project import Project
from ..texts import t
from .chat_ending import TurnEnd, refused, turn_end
from .chat_image import Image, read_image
from .chat_lines import Interrupts, Lines
from .chat_places import Place, open_place
from .event_input import message
from .loading import open_project
from .options import Session
from .reply import Reply, Step

Sign = Literal["interrupt", "end"]
Item = Step | Exception | Sign
"""What comes while an answer is awaited."""

CANCEL_PAUSE = 0.1
"""Seconds between two attempts to cancel a run that has not begun."""


@dataclass(frozen=True, kw_only=True)
class Speaker:
    """Who talks, and where."""

    actor: str
    conversation: str | None

    @property
    def place(self) -> str:
        """The conversation_id."""
        return self.conversation or f"person_{self.actor}"


def chat(session: Session, speaker: Speaker, images: Sequence[str], *, embedded: bool) -> int:
    """Talk until the end of the input; gives the exit code."""
    project = open_project(session)
    with (
        start_blocking_portal() as portal,
        open_place(portal, project, embedded=embedded) as place,
        Interrupts() as interrupts,
    ):
        lines = Lines(interrupts)
        talk = Chat(
            session, project=project, portal=portal, place=place, speaker=speaker, interrupts=interrupts
        )
        for path in images:
            talk.add_image(path)
        if lines.interactive:
            talk.greet()
        return talk.hold(lines)


class Chat:
    """One conversation."""

    def __init__(
        self,
        session: Session,
        *,
        project: Project,
        portal: BlockingPortal,
        place: Place,
        speaker: Speaker,
        interrupts: Interrupts,
    ) -> None:
        self._out = session.output
        self._body = project.settings.server.max_body_bytes
        self._portal = portal
        self._place = place
        self._speaker = speaker
        self._interrupts = interrupts
        self._images: list[Image] = []
        self._leaving = False

    def greet(self) -> None:
        """Say where one is, and how to leave."""
        where = t("the running host") if self._place.via == "host" else t("a host in this process")
        self._out.note(
            (
                t(
                    "{actor} in {conversation}, through {where}",
                    actor=self._speaker.actor,
                    conversation=self._speaker.place,
                    where=where,
                ),
                "bold",
            )
        )
        self._out.note((t("Ctrl-C ends an answer, Ctrl-D leaves, /help lists more"), "dim"))

    def hold(self, lines: Lines) -> int:
        """Take line after line; gives the exit code."""
        all_well = True
        while not self._leaving:
            line = lines.read()
            if line is None:
                break
            try:
                end = self._take(line.strip())
            except LangbotAgentsError as error:
                end = refused(error)
                end.tell(self._out)
            all_well = all_well and (end is None or end.well)
        return 0 if all_well or lines.interactive else 1

    def add_image(self, path: str) -> None:
        """Add a picture to the next message. Raises `ImageError`."""
        taken = sum(image.encoded_size for image in self._images)
        self._images.append(read_image(path, body=self._body, taken=taken))
        self._out.note(
            (t("{count} for the next message: {names}", count=len(self._images), names=self._names()), "dim")
        )

    def _names(self) -> str:
        return ", ".join(image.name for image in self._images)

    def _take(self, line: str) -> TurnEnd | None:
        """A command of ours, or a message."""
        if line.startswith("/") and not line.startswith("//"):
            word, _, rest = line.partition(" ")
            self._command(word, rest.strip())
            return None
        if not line and not self._images:
            return None
        return self._say(line.removeprefix("/") if line.startswith("//") else line)

    def _command(self, word: str, rest: str) -> None:
        match word:
            case "/quit" | "/exit":
                self._leaving = True
            case "/image":
                if rest:
                    self.add_image(rest)
                else:
                    self._out.note(t("write /image PATH"))
            case "/help":
                self._help()
            case _:
                self._out.note(
                    t(
                        "there is no {word}; /help lists what there is, and //{rest} sends it as it is",
                        word=word,
                        rest=word[1:],
                    )
                )

    def _help(self) -> None:
        for word, meaning in (
            ("/image PATH", t("adds a picture to the next message")),
            ("/help", t("shows this")),
            ("/quit", t("leaves, as Ctrl-D does")),
            ("//…", t("sends a message that begins with /")),
            ("Ctrl-C", t("ends the answer that is under way; at the prompt it leaves")),
        ):
            self._out.note((f"{word:<13}", "bold"), meaning, indent=2)

    def _say(self, text: str) -> TurnEnd:
        """One message and its answer."""
        images, self._images = self._images, []
        reply = Reply(out=self._out)
        end = self._answer(self._event(text, images), reply)
        end.tell(self._out)
        self._out.record(
            "chat",
            {
                "text": text,
                "images": [image.name for image in images],
                "via": self._place.via,
                **reply.accepted,
                "status": end.status,
                "sentence": end.sentence,
                "code": end.code,
                "reason": end.reason,
                "messages": reply.messages,
                "runs": reply.done.get("runs", []),
                "deliveries": reply.done.get("deliveries", []),
            },
        )
        return end

    def _event(self, text: str, images: Sequence[Image]) -> dict[str, Any]:
        data = message(text, self._speaker.actor, self._speaker.conversation).data
        said: list[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
        contents = said + [image.part() for image in images]
        return {
            **data,
            "event_id": new_id("chat"),
            "event_time": time.time(),
            "input": {"text": text or None, "contents": contents},
        }

    def _answer(self, data: dict[str, Any], reply: Reply) -> TurnEnd:
        """Send it and show what comes; Ctrl-C asks the run to end, a second one stops waiting."""
        items: SimpleQueue[Item] = SimpleQueue()
        tasks = [self._portal.start_task_soon(_pump, self._place, data, items.put)]
        asked = False
        try:
            # a put is all that a signal handler may do, and it wakes the thread that waits in `get`
            with self._interrupts.told_to(lambda: items.put("interrupt")):
                while True:
                    match items.get():
                        case Step() as step:
                            reply.take(step)
                            if asked and step.name == "accepted":
                                tasks.append(self._cancel(reply))
                        case "end":
                            return self._ended(reply)
                        case "interrupt" if asked:
                            return _left(reply)
                        case "interrupt":
                            asked = True
                            if reply.accepted:
                                tasks.append(self._cancel(reply))
                        case LangbotAgentsError() as error:
                            return refused(error)
                        case Exception() as error:
                            raise error
        finally:
            for task in tasks:
                task.cancel()
            reply.end()

    def _ended(self, reply: Reply) -> TurnEnd:
        uid = str(reply.accepted.get("event_uid"))
        return turn_end(reply.done, self._portal.call(self._place.decision, uid))

    def _cancel(self, reply: Reply) -> Future[None]:
        return self._portal.start_task_soon(_cancel, self._place, str(reply.accepted["event_uid"]))


def _left(reply: Reply) -> TurnEnd:
    uid = str(reply.accepted.get("event_uid", ""))
    hint = t("what becomes of it: {command}", command=f"lba events show {uid}") if uid else None
    return TurnEnd(status="cancelled", sentence=t("not waited for any longer"), hint=hint)


async def _cancel(place: Place, event_uid: str) -> None:
    """Ask until a run of the event heard it: it may only be about to start."""
    with suppress(LangbotAgentsError):  # the stream of the reply tells what is wrong with the host
        for _ in count():
            if await place.cancel(event_uid):
                return
            await anyio.sleep(CANCEL_PAUSE)


async def _pump(place: Place, data: dict[str, Any], put: Callable[[Item], None]) -> None:
    """Hand each step to the thread that shows them."""
    try:
        async with aclosing(place.send(data)) as steps:
            async for step in steps:
                put(step)
        put("end")
    except Exception as error:  # isolation boundary: told by the thread that shows, where the chat goes on
        put(error)
