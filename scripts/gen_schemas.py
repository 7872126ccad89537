"""Write `schemas/json/<Model>.json` for every public model; `--check` only says what is out of date."""

import json
import sys
from pathlib import Path

from langbot_agents.schemas.json_schema import json_schema, model_names

FOLDER = Path(__file__).parent.parent / "schemas" / "json"
OTHERS = frozenset({"openapi.json"})
"""What `gen_openapi.py` writes there."""


def rendered() -> dict[str, str]:
    """File name to content, the same for the same models."""
    return {
        f"{name}.json": json.dumps(json_schema(name), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        for name in model_names()
    }


def differences(folder: Path = FOLDER) -> list[str]:
    """One line for each file that is missing, stale or no longer made."""
    wanted = rendered()
    present = {
        path.name: path.read_text("utf-8") for path in folder.glob("*.json") if path.name not in OTHERS
    }
    missing = [f"missing: {name}" for name in wanted.keys() - present.keys()]
    stale = [f"stale: {name}" for name in wanted.keys() & present.keys() if wanted[name] != present[name]]
    left_over = [f"no such model: {name}" for name in present.keys() - wanted.keys()]
    return sorted(missing + stale + left_over)


def write(folder: Path = FOLDER) -> None:
    """Make the folder hold exactly the rendered files."""
    folder.mkdir(exist_ok=True)
    wanted = rendered()
    for path in folder.glob("*.json"):
        if path.name not in wanted and path.name not in OTHERS:
            path.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, "utf-8")


def main(arguments: list[str]) -> int:
    """Do it, or with `--check` compare; 1 when something differs."""
    if arguments not in ([], ["--check"]):
        print(f"usage: {sys.argv[0]} [--check]", file=sys.stderr)
        return 2
    found = differences()
    if not arguments:
        write()
        print(f"{len(model_names())} schemas, {len(found)} changed")
        return 0
    for line in found:
        print(line)
    if found:
        print("run: python scripts/gen_schemas.py")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
