"""Embeddings that mean something: texts that share words lie close."""

import base64
import hashlib
import math
import struct
from collections.abc import Mapping
from typing import Any

from .completion import tokens
from .script import FakeFailure

DIMENSIONS = 64


def vector(text: str, dimensions: int = DIMENSIONS) -> list[float]:
    """A unit vector, the sum of one direction for each word; the same for the same words on any machine."""
    total = [0.0] * dimensions
    for word in text.lower().split() or [""]:
        stream = hashlib.shake_256(word.encode("utf-8", "replace")).digest(dimensions)
        for place, byte in enumerate(stream):
            total[place] += byte - 127.5
    length = math.sqrt(sum(value * value for value in total))
    return [value / length for value in total]


def answer_embeddings(body: Any) -> dict[str, Any] | FakeFailure:
    """The answer to `POST /v1/embeddings`."""
    given = body.get("input") if isinstance(body, Mapping) else None
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        return FakeFailure(status=400, message="Give `input` as a text or a list of texts.", param="input")
    wanted = body.get("dimensions")
    dimensions = wanted if isinstance(wanted, int) and 0 < wanted <= 4096 else DIMENSIONS
    packed = body.get("encoding_format") == "base64"
    count = sum(tokens(text) for text in texts)
    return {
        "object": "list",
        "model": body["model"],
        "data": [
            {"object": "embedding", "index": index, "embedding": _encoded(vector(text, dimensions), packed)}
            for index, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": count, "total_tokens": count},
    }


def _encoded(values: list[float], packed: bool) -> list[float] | str:
    return base64.b64encode(struct.pack(f"<{len(values)}f", *values)).decode() if packed else values
