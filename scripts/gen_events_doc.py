"""Write docs/events.md from the catalogue; with `--check`, say whether it is up to date."""

import json
import sys
from pathlib import Path

from langbot_agents.schemas.base import thaw
from langbot_agents.schemas.catalogue import EventTypeContract, standard_types
from langbot_agents.schemas.text import localized

PAGE = Path(__file__).resolve().parent.parent / "docs" / "events.md"
COMMAND = "python scripts/gen_events_doc.py"

HEAD = f"""\
# Event types

<!-- Written by `{COMMAND}` from the catalogue; change the catalogue, not this page. -->

These are the event types that come with langbot-agents, and what each of them carries. Name them in
`event_types` of a binding, exactly, as `group.*`, or as `*`. Any other well-formed type is accepted too; the
catalogue only says nothing about it.

- **Actor** is who did it, `actor` in the event. The system has no `actor_id`.
- **Subject** is what it happened to: `subject.subject_type`, and what `subject_id` names.
- **Text** is `input.text`. *Expected*: a person usually wrote something, but a message of only a picture
  has none. *Optional*: a note that the person may have left out. *Never*: always null; nothing is made up.
  Where the payload is in `input.data` or `input.interaction`, the table says so.
- **Reply** says whether the event usually has a place to answer in (`delivery.reply_target`). Where it has
  none, name a target in `delivery_policy.targets`.
- **Metadata** lists keys of `metadata` that have a fixed meaning for the type. Each may be missing, and a
  source may add others. What happens in a conversation also has `platform_event` and `chat_type`.
"""

ALWAYS = ("platform_event", "chat_type", "chat_id", "channel", "guild_id", "business_connection_id")


def said(contract: EventTypeContract) -> str:
    """Where the event's own words or payload are."""
    places: list[str] = [contract.text]
    places += ["`input.data`"] if contract.data else []
    places += ["`input.interaction`"] if contract.interaction else []
    return ", ".join(places)


def row(contract: EventTypeContract) -> str:
    """One line of the table."""
    subject = localized(contract.subject)
    types = ", ".join(f"`{name}`" for name in contract.subject_types)
    keys = ", ".join(f"`{name}`" for name in contract.metadata if name not in ALWAYS)
    names = "<br>".join(f"`{name}`" for name in (contract.name, *contract.aliases))
    cells = (
        names,
        localized(contract.actor),
        f"{types}: {subject}" if types else subject,
        said(contract),
        "yes" if contract.reply else "no",
        keys,
    )
    return f"| {' | '.join(cells)} |"


def section(contract: EventTypeContract) -> str:
    """Description, metadata and example of a type."""
    lines = [f"### {contract.name.replace('<', '&lt;').replace('>', '&gt;')}", ""]
    lines += [f"{localized(contract.title)} · {localized(contract.title, 'zh_Hans')}", ""]
    lines += [localized(contract.description), ""]
    if contract.aliases:
        lines += [f"Also known as {', '.join(f'`{name}`' for name in contract.aliases)}.", ""]
    named = [(name, field) for name, field in contract.metadata.items() if name not in ALWAYS]
    for name, field in named:
        values = f" One of {', '.join(f'`{value}`' for value in field.values)}." if field.values else ""
        lines.append(f"- `metadata.{name}` ({field.type}): {localized(field.description)}{values}")
    lines += [""] if named else []
    lines += ["```json", json.dumps(thaw(contract.sample), ensure_ascii=False, indent=2), "```", ""]
    return "\n".join(lines)


def page() -> str:
    """The whole page."""
    contracts = standard_types()
    table = [
        "| type | actor | subject | text | reply | metadata |",
        "| --- | --- | --- | --- | --- | --- |",
        *(row(contract) for contract in contracts),
    ]
    sections = [section(contract) for contract in contracts]
    return "\n".join([HEAD, "## All types", "", *table, "", "## Examples", "", *sections])


def main(arguments: list[str]) -> int:
    """Write the page, or with `--check` compare it; gives the exit code."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {COMMAND} [--check]", file=sys.stderr)
        return 2
    expected = page()
    if not arguments:
        PAGE.write_text(expected, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == expected:
        return 0
    print(f"{PAGE}: not what the catalogue says; run {COMMAND}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
