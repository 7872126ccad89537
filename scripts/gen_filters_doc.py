"""Write the functions in docs/filters.md from the table; with `--check`, say whether it is up to date."""

import json
import sys
from pathlib import Path

from langbot_agents.framework.filters.functions import LIBRARY, FilterFunction
from langbot_agents.framework.filters.own_functions import OWN, VERSION

PAGE = Path(__file__).resolve().parent.parent / "docs" / "filters.md"
COMMAND = "python scripts/gen_filters_doc.py"
BEGIN = f"<!-- from here on written by `{COMMAND}` from the table of functions -->\n"
END = "<!-- up to here -->\n"


def _function(function: FilterFunction) -> str:
    examples = "".join(
        f"| {_code(expr)} | `{json.dumps(value, ensure_ascii=False)}` |\n"
        for expr, value in function.examples
    )
    return f"### {function.usage()}\n\n{function.doc}\n\n| expression | is |\n| --- | --- |\n{examples}\n"


def _code(expr: str) -> str:
    expr = expr.replace("|", "\\|")
    return f"`` {expr} ``" if "`" in expr else f"`{expr}`"


def functions() -> str:
    """The generated part of the page."""
    own = "".join(_function(function) for function in OWN)
    library = ", ".join(f"`{function.usage()}`" for function in LIBRARY)
    return (
        f"The set is `{VERSION}`; each decision stores the version of the set that it was made with.\n\n{own}"
        f"### JMESPath's own\n\n{library}. They behave as "
        "[JMESPath](https://jmespath.org/specification.html) says; most of them fail on null.\n\n"
    )


def page(text: str) -> str:
    """The page with its generated part made anew."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{functions()}{END}{tail}"


def main() -> int:
    """Write the page, or compare it."""
    text = PAGE.read_text("utf-8")
    made = page(text)
    if "--check" in sys.argv[1:]:
        if text != made:
            print(f"{PAGE}: not up to date; run `{COMMAND}`", file=sys.stderr)
        return int(text != made)
    PAGE.write_text(made, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
