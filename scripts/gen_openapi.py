"""Write `schemas/json/openapi.json` from the table of endpoints; `--check` only says if it is out of date."""

import json
import sys
from pathlib import Path

from langbot_agents.framework.web.openapi import openapi
from langbot_agents.framework.web.table import ENDPOINTS

FILE = Path(__file__).parent.parent / "schemas" / "json" / "openapi.json"


def rendered() -> str:
    """The description, the same for the same endpoints."""
    return json.dumps(openapi(ENDPOINTS), ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """Do it, or with `--check` compare; 1 when it differs."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {sys.argv[0]} [--check]", file=sys.stderr)
        return 2
    if not arguments:
        FILE.write_text(rendered(), "utf-8")
        return 0
    if FILE.is_file() and FILE.read_text("utf-8") == rendered():
        return 0
    print(f"stale: {FILE.name}\nrun: python scripts/gen_openapi.py")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
