"""The language of findings is fixed, whatever the machine speaks."""

from collections.abc import Iterator

import pytest

from langbot_agents.framework.texts import process_language


@pytest.fixture(autouse=True, scope="session")
def english() -> Iterator[None]:
    """Findings are compared word by word, in English."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LANGBOT_AGENTS_LANG", "en_US")
        process_language.cache_clear()
        yield
    process_language.cache_clear()
