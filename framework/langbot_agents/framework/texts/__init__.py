"""What we say to people, in English here and in Chinese from one catalogue (`zh_hans`).

The English text is the key: `t("no file {path!r}", path=path)`. A test holds that each text in the
source has its Chinese entry with the same placeholders.
"""

import locale
import os
from functools import cache

LANGUAGES = ("en_US", "zh_Hans")


def normal_language(tag: str | None) -> str:
    """`zh_Hans` for any Chinese tag, else `en_US`."""
    return "zh_Hans" if (tag or "").replace("-", "_").lower().startswith("zh") else "en_US"


@cache
def process_language() -> str:
    """The language of this process: `LANGBOT_AGENTS_LANG`, else the locale."""
    stated = os.environ.get("LANGBOT_AGENTS_LANG")
    if not stated:
        stated = next((v for k in ("LC_ALL", "LC_MESSAGES", "LANG") if (v := os.environ.get(k))), None)
    if not stated:
        stated = locale.getlocale()[0]
    return normal_language(stated)


@cache
def _catalogue(language: str) -> dict[str, str]:
    if language == "zh_Hans":
        from .zh_hans import TEXTS

        return TEXTS
    return {}


def t(text: str, /, *, lang: str | None = None, **values: object) -> str:
    """The text in `lang` (default the process' language), with `{placeholders}` filled."""
    language = normal_language(lang) if lang else process_language()
    template = _catalogue(language).get(text, text)
    return template.format(**values) if values else template
