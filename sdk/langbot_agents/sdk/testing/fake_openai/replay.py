"""Captured answers of real servers, given again byte for byte and in the same HTTP chunks."""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .answers import Drop, Outgoing, Pause, Step
from .requests import RecordedRequest
from .script import FakeFailure

_OF_THE_CONNECTION = {"content-length", "transfer-encoding", "connection", "date"}
_WHOLE = {"final zero chunk", "length reached"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Capture:
    """One exchange with a real server."""

    name: str
    note: str
    request: Mapping[str, Any]
    response: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Capture":
        """The capture in a file."""
        data = json.loads(path.read_text("utf-8"))
        return cls(
            name=path.stem, note=data.get("note", ""), request=data["request"], response=data["response"]
        )

    @property
    def body(self) -> bytes:
        """The exact body of the answer."""
        return b"".join(_bytes(chunk) for chunk in self.response["chunks"])

    def asks(self, request: RecordedRequest) -> bool:
        """Whether a request goes to the same place."""
        return (request.method, request.path) == (self.request["method"], self.request["path"])

    def says(self, request: RecordedRequest) -> bool:
        """Whether a request has the same body."""
        if "body_text" in self.request:
            return request.raw == str(self.request["body_text"]).encode()
        return bool(request.body == self.request.get("body"))

    def answer(self, speed: float) -> Outgoing:
        """The answer again; `speed` 1 is as fast as it was, 0 does not wait at all."""
        framed = self.response["framing"] == "content-length"
        headers = [
            (name, value)
            for name, value in self.response["headers"]
            if name.lower() not in _OF_THE_CONNECTION
        ]
        if framed:  # what was cut from a capture makes its own length wrong
            headers.append(("content-length", str(len(self.body))))
        status = int(self.response["status_line"].split()[1])
        return Outgoing(status=status, headers=headers, steps=self._steps(speed))

    def _steps(self, speed: float) -> Iterator[Step]:
        before = 0.0
        for chunk in self.response["chunks"]:
            if speed:
                yield Pause((chunk["t_ms"] - before) / 1000 / speed)
                before = chunk["t_ms"]
            yield _bytes(chunk)
        if self.response["ended"] not in _WHOLE:
            yield Drop()


class Replay:
    """The captures of a file, which answers whatever asks there, or of a folder, told apart by the body."""

    def __init__(self, path: Path, *, speed: float = 0.0) -> None:
        files = sorted(path.glob("*.json")) if path.is_dir() else [path]
        self.captures = [Capture.read(file) for file in files]
        if not self.captures:
            raise ValueError(f"{path} has no captures")
        self._single = not path.is_dir()
        self._speed = speed

    def answer(self, request: RecordedRequest) -> Outgoing | FakeFailure:
        """What was answered to that request, or a 404 that names what there is."""
        found = [item for item in self.captures if item.asks(request)]
        if not self._single:
            found = [item for item in found if item.says(request)]
        if found:
            return found[0].answer(self._speed)
        names = ", ".join(item.name for item in self.captures)
        return FakeFailure(
            status=404, message=f"no capture for {request.method} {request.path} with this body; have {names}"
        )


def _bytes(chunk: Mapping[str, Any]) -> bytes:
    return base64.b64decode(chunk["base64"]) if "base64" in chunk else str(chunk["text"]).encode()
