"""Files inside of an event are moved into the store before the append, so that events stay small."""

import base64
from typing import Any

import pytest

from langbot_agents.framework.errors import InvalidEventError
from langbot_agents.framework.media import MAX_FILE_BYTES, MAX_FILES, sniffed
from langbot_agents.framework.store import Cursor, artifacts

from .conftest import MakeHouse

pytestmark = pytest.mark.anyio
ECHO = [{"runner_id": "echo"}]
PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40


def data_url(data: bytes, kind: str = "image/png") -> str:
    """The bytes as a `data:` URL."""
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


async def test_files_become_artifacts(make_house: MakeHouse) -> None:
    """Parts, quoted parts and attachments keep a reference with size, digest and the type of the bytes."""
    quote = {"type": "quote", "contents": [{"type": "image", "url": data_url(b"\xff\xd8\xff\xe0jpeg")}]}
    given = {
        "contents": [
            {"type": "text", "text": "look"},
            {"type": "image", "url": data_url(PNG, "image/jpeg"), "name": "a.png"},
            quote,
            {"type": "file", "url": "data:text/plain,seven%20geese"},
            {"type": "image", "url": "https://example.org/a.png"},
        ],
        "attachments": [{"type": "voice", "url": data_url(b"OggS....", "audio/ogg"), "name": "v.ogg"}],
    }
    async with make_house(bindings=ECHO).open() as opened:
        story = await opened.say(None, input=given)
        taken = story.stored.envelope.input
        contents: list[Any] = list(taken.contents)
        references = [
            contents[1].artifact,
            contents[2].contents[0].artifact,
            contents[3].artifact,
            taken.attachments[0].artifact,
        ]
        records = [
            await opened.host.db.read(artifacts.get, "default", item.artifact_id) for item in references
        ]
        store = opened.host.parts.artifacts
        held = [await store.read(record) for record in records if record is not None]

    assert held == [PNG, b"\xff\xd8\xff\xe0jpeg", b"seven geese", b"OggS...."]
    assert [record and record.mime_type for record in records] == [
        "image/png",
        "image/jpeg",
        "text/plain",
        "audio/ogg",
    ]
    assert [(item.size, item.digest) for item in references] == [
        (record.size, record.digest) for record in records if record is not None
    ]
    assert all(record and record.conversation_key and record.access == "conversation" for record in records)
    assert contents[4].url == "https://example.org/a.png"
    assert "base64" not in story.stored.envelope.model_dump_json()


@pytest.mark.parametrize(
    ("url", "cause"),
    [
        ("data:image/png;base64,@@@@", "this is not base64"),
        ("data:image/png;base64,iVBORw0", "this is not base64"),
        ("data:image/png;base64,", "the file is empty"),
        ("data:", "a data URL reads data:TYPE/SUBTYPE;base64,DATA"),
        ("data:image/png;base64", "a data URL reads data:TYPE/SUBTYPE;base64,DATA"),
        (data_url(b"%PDF-1.7"), "this is no picture but application/pdf"),
        (data_url(b"plain", "text/plain"), "this is no picture but text/plain"),
        ("DATA:image/png;base64,@", "this is not base64"),
        (data_url(b"\0" * (MAX_FILE_BYTES + 1)), f"the file is over {MAX_FILE_BYTES} bytes"),
    ],
    ids=lambda value: value[:30],
)
async def test_malformed(make_house: MakeHouse, url: str, cause: str) -> None:
    """What cannot be read is refused with its place and cause before anything is on disk."""
    async with make_house(bindings=ECHO).open() as opened:
        with pytest.raises(InvalidEventError) as caught:
            await opened.accept(None, input={"contents": [{"type": "image", "url": url}]})
        kept = list((opened.host.project.root / "data/artifacts").rglob("*"))

    assert caught.value.message == f"input.contents[0].url: {cause}"
    assert caught.value.details[0]["path"] == "input.contents[0].url"
    assert kept == []


async def test_too_many(make_house: MakeHouse) -> None:
    """The number of files in one event is bounded."""
    parts = [{"type": "image", "url": data_url(PNG)}] * (MAX_FILES + 1)
    async with make_house(bindings=ECHO).open() as opened:
        with pytest.raises(InvalidEventError, match=f"at most {MAX_FILES} files"):
            await opened.accept(None, input={"contents": parts})


async def test_a_repeat_keeps_nothing(make_house: MakeHouse) -> None:
    """The files of a repeat are removed again; those of the first stay."""
    fields: Any = {"event_id": "m1", "input": {"contents": [{"type": "image", "url": data_url(PNG)}]}}
    async with make_house(bindings=ECHO).open() as opened:
        first = await opened.say(None, **fields)
        again = await opened.accept(None, **fields)

        def rows(cursor: Cursor) -> int:
            return len(artifacts.of_run(cursor, "default", first.runs[0].run_id))

        assert await opened.host.db.read(rows) == 0
        part: Any = first.stored.envelope.input.contents[0]
        record = await opened.host.db.read(artifacts.get, "default", part.artifact.artifact_id)
        assert record is not None
        assert await opened.host.parts.artifacts.read(record) == PNG
    assert again.duplicate


@pytest.mark.parametrize(
    ("data", "stated", "expected"),
    [
        (b"GIF89a...", "image/png", "image/gif"),
        (b"RIFF\0\0\0\0WEBP", "image/png", "image/webp"),
        (b"RIFF\0\0\0\0WAVE", "audio/x-wav", "audio/wav"),
        (b"PK\x03\x04", "application/vnd.ms-excel", "application/vnd.ms-excel"),
        (b"PK\x03\x04", "image/png", "application/zip"),
        (b"hello", "text/plain", "text/plain"),
        (b"", "text/plain", "text/plain"),
    ],
)
def test_sniffed(data: bytes, stated: str, expected: str) -> None:
    """The bytes say what they are; where they do not, what was stated stands."""
    assert sniffed(data, stated) == expected
