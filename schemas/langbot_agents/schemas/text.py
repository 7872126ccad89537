"""Text in several languages, and how one is picked for a reader."""

from collections.abc import Mapping

from .base import StringMap

I18nText = str | StringMap
"""A string, or `{locale: string}` with `en_US`, `zh_Hans` or any BCP 47 tag as locale."""


def _normal(locale: str) -> str:
    tag = locale.split(".", 1)[0].replace("_", "-").lower()
    if tag.startswith("zh"):
        traditional = any(part in tag.split("-") for part in ("hant", "tw", "hk", "mo"))
        return "zh-hant" if traditional else "zh-hans"
    return tag


def localized(text: str | Mapping[str, str] | None, locale: str = "en_US") -> str:
    """Pick the text for `locale`: the same tag, then the same language, then English, then the first."""
    if text is None or isinstance(text, str):
        return text or ""
    wanted = _normal(locale)
    tags = {_normal(key): value for key, value in text.items()}
    if wanted in tags:
        return tags[wanted]
    for language in (wanted.split("-")[0], "en"):
        for tag, value in tags.items():
            if tag.split("-")[0] == language:
                return value
    return next(iter(text.values()), "")
