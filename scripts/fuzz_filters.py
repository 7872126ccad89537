#!/usr/bin/env python3
"""Try filters on events: no exception leaves the evaluator, and none takes longer than its budget.

    python scripts/fuzz_filters.py [--pairs 1000000] [--seed 1]

Expressions are grown from the grammar, most of them well formed, and some are cut and mixed as people
mistype them. Where one calls jmespath's own functions alone, a sample of its answers is compared with
jmespath's interpreter. One JSON object on stdout; exit 1 where something did not hold.
"""

import argparse
import json
import random
import sys
import time
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any

import jmespath

from langbot_agents.framework.filters import (
    STANDARD,
    CompiledFilter,
    FilterSyntaxError,
    Frame,
    compile_filter,
    evaluate_all,
)
from langbot_agents.framework.filters.frame import BUDGET_SECONDS
from langbot_agents.framework.filters.functions import LIBRARY

EVENTS_EACH = 50
SLACK_SECONDS = 0.1
"""What a look at the clock may come too late, on a machine that does other things too."""

NAMES = ["actor", "actor_id", "input", "text", "metadata", "chat_type", "contents", "bot_id", "now", "x", "y"]
LITERALS = [
    "'refund'",
    "'退款'",
    "''",
    "`1`",
    "`0`",
    "`true`",
    "`null`",
    "`[1, 2]`",
    '`{"a": "b"}`',
    "`1.5`",
    "'1'",
]
PATTERNS = [
    "metadata",
    "'(a|aa)+$'",
    "'^re'",
    r"'\\p{Han}'",
    "'('",
    "'a*b'",
    "'*'",
    "'09:00-18:00'",
    "'Asia/Shanghai'",
]
TEXTS = ["", "refund please", "我要退款", "a" * 40 + "!", "\ud800", "1", "x" * 20_000, "[1,2]", "\x00"]
LIBRARY_NAMES = {item.name for item in LIBRARY}


class Maker:
    """Grows expressions and events."""

    def __init__(self, random_: random.Random) -> None:
        self.random = random_

    def expression(self, depth: int = 0) -> str:
        """One expression of any kind."""
        one = self.random
        if depth > 3 or one.random() < 0.25:
            return one.choice([self.path(), one.choice(LITERALS), "@"])
        kind = one.randrange(11)
        first, second = self.expression(depth + 1), self.expression(depth + 1)
        if kind <= 2:
            return f"{first} {one.choice(['==', '!=', '<', '<=', '>', '>='])} {second}"
        if kind <= 4:
            return f"({first}) {one.choice(['&&', '||', '|'])} ({second})"
        if kind <= 7:
            return self.call(depth)
        shapes = {8: f"!({first})", 9: f"[{first}, {second}]", 10: f"{{k: {first}}}"}
        return one.choice(
            [
                shapes[kind],
                f"{self.path()}[?{first}]",
                f"{self.path()}[*].{one.choice(NAMES)}",
                f"{self.path()}[::-1]",
            ]
        )

    def condition(self, depth: int = 0) -> str:
        """One expression that is most often true or false, as filters are."""
        one = self.random
        kind = one.randrange(6 if depth < 2 else 4)
        if kind <= 1:
            second = one.choice(LITERALS) if one.random() < 0.7 else self.expression(2)
            return f"{self.path()} {one.choice(['==', '!=', '<', '>='])} {second}"
        if kind == 2:
            name = one.choice(["contains", "starts_with", "ends_with"])
            return f"{name}({self.path()} || '', {one.choice(LITERALS)})"
        if kind == 3:
            test = one.choice(
                [
                    f"contains_any({self.path()}, ['refund', '1'])",
                    f"starts_with_any({self.path()}, ['a', '我'])",
                    f"one_of({self.path()}, [`1`, '1', {self.path()}])",
                    f"matches({self.path()}, {one.choice(PATTERNS)})",
                    f"glob({self.path()}, {one.choice(PATTERNS)})",
                    f"percent({self.path()}) < `20`",
                    "hour_in('09:00-18:00')",
                    "mentions_bot()",
                ]
            )
            return test if one.random() < 0.7 else f"!{test}" if "<" not in test else f"!({test})"
        first, second = self.condition(depth + 1), self.condition(depth + 1)
        return f"({first}) {one.choice(['&&', '||'])} ({second})"

    def call(self, depth: int) -> str:
        """A call of a function, sometimes with arguments that do not fit."""
        function = self.random.choice(list(STANDARD.functions.values()))
        arguments = []
        for parameter in function.parameters:
            if parameter.types == ("expression",):
                arguments.append(f"&{self.path()}")
            elif parameter.name in {"pattern", "hours", "zone"}:
                arguments.append(self.random.choice(PATTERNS))
            elif self.random.random() < 0.05:
                continue
            else:
                arguments.append(self.expression(depth + 1))
        return f"{function.name}({', '.join(arguments)})"

    def path(self) -> str:
        """A path of one to three names."""
        return ".".join(self.random.choice(NAMES) for _ in range(self.random.randint(1, 3)))

    def mistyped(self, text: str) -> str:
        """An expression with something wrong."""
        place = self.random.randrange(len(text) + 1)
        return (
            text[:place]
            + self.random.choice(['"', "'", "`", "(", ")", "=", "&", "，", "“", ""])
            + text[place + 1 :]
        )

    def value(self, depth: int = 0) -> Any:
        """Any JSON value."""
        one = self.random
        if depth > 3 or one.random() < 0.5:
            return one.choice([None, True, False, 0, 1, -1.5, 10**30, *TEXTS])
        if one.random() < 0.5:
            return [self.value(depth + 1) for _ in range(one.choice([0, 1, 3, 200]) if depth == 0 else 3)]
        return {one.choice(NAMES): self.value(depth + 1) for _ in range(3)}

    def event(self) -> dict[str, Any]:
        """An event's document, mostly of the right shape."""
        one = self.random
        document: dict[str, Any] = {
            "event_type": "message.received",
            "actor": {"actor_id": one.choice(["1", "42", None])},
            "input": {"text": one.choice([None, *TEXTS]), "contents": self.value()},
            "metadata": self.value(),
            "bot_id": "bot-1",
            "now": 1_760_000_000.0,
        }
        document[one.choice(NAMES)] = self.value()
        return document


def told(evaluate: Callable[[], Any]) -> str:
    """A value as JSON, in which `1`, `1.0` and `true` are three, or that there is none."""
    try:
        return json.dumps(evaluate(), default=lambda _: "a reference")
    except Exception:
        return "an error"


def differs(compiled: CompiledFilter, document: dict[str, Any]) -> bool:
    """Whether the interpreter says something else about a leg, of jmespath's own functions alone."""
    for leg in compiled.legs:
        ours = told(lambda leg=leg: leg.evaluate(document, Frame(document, seconds=60)))  # type: ignore[misc]
        theirs = told(lambda leg=leg: jmespath.compile(leg.text).search(document))  # type: ignore[misc]
        if ours != theirs:
            return True
    return False


def run(pairs: int, seed: int) -> dict[str, Any]:
    """Try so many pairs."""
    maker = Maker(random.Random(seed))
    truths: Counter[str] = Counter()
    events = [maker.event() for _ in range(500)]
    slowest = (0.0, "")
    times = array("f")
    failures: list[dict[str, str]] = []
    done = refused = compared = 0
    started = shown = time.monotonic()
    while done < pairs:
        expr = maker.condition() if maker.random.random() < 0.6 else maker.expression()
        if maker.random.random() < 0.1:
            expr = maker.mistyped(expr)
        try:
            compiled = compile_filter(expr)
        except FilterSyntaxError as error:
            refused += 1
            done += 1
            if not 0 <= error.offset <= len(expr):
                failures.append({"expr": expr, "fault": f"offset {error.offset}"})
            continue
        except Exception as error:
            failures.append({"expr": expr, "fault": f"reading it: {error!r}"})
            done += 1
            continue
        own = any(name in expr for name in STANDARD.functions if name not in LIBRARY_NAMES)
        for document in maker.random.sample(events, min(EVENTS_EACH, pairs - done)):
            done += 1
            begun = time.process_time()
            try:
                result = evaluate_all([compiled], document, Frame(document, now=document["now"]))
            except BaseException as error:
                fault = f"evaluating it: {error!r}"
                failures.append({"expr": expr, "document": json.dumps(document)[:2_000], "fault": fault})
                continue
            took = time.process_time() - begun
            slowest = max(slowest, (took, expr))
            times.append(took)
            assert result is not None
            truths[result.truth] += 1
            if took > BUDGET_SECONDS + SLACK_SECONDS:
                failures.append({"expr": expr, "fault": f"took {took:.3f} s"})
            if not own and maker.random.random() < 0.05:
                compared += 1
                if differs(compiled, document):
                    fault = "the interpreter says something else"
                    failures.append({"expr": expr, "document": json.dumps(document)[:2_000], "fault": fault})
        if time.monotonic() - shown > 2 and sys.stderr.isatty():
            shown = time.monotonic()
            print(f"\r{done:,} of {pairs:,}", end="", file=sys.stderr, flush=True)
    return {
        "schema": "langbot-agents/fuzz-filters/v1",
        "pairs": done,
        "seed": seed,
        "seconds": round(time.monotonic() - started, 1),
        "refused_at_load": refused,
        "truths": dict(sorted(truths.items())),
        "compared_with_the_interpreter": compared,
        "budget_ms": BUDGET_SECONDS * 1000,
        "p99_us": round(sorted(times)[len(times) * 99 // 100] * 1e6, 1) if times else 0.0,
        "slowest_ms": round(slowest[0] * 1000, 2),
        "slowest": slowest[1][:300],
        "failures": failures[:20],
        "holds": not failures,
    }


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report = run(options.pairs, options.seed)
    print(json.dumps(report, indent=2, ensure_ascii=True))
    return 0 if report["holds"] else 1


if __name__ == "__main__":
    sys.exit(main())
