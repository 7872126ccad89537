"""`lba test`."""

import click

from ..texts import t
from .help_page import Argument, Command
from .options import Session, common
from .words import Whole


@click.command(
    "test",
    cls=Command,
    help=t("Run the tests beside the bindings: events, and what must become of them."),
    detail=t(
        "A test file ends in .test.yaml and lies beside the bindings. Each case has an event and what is "
        "expected: who answers, who observes, why others do not, what is said and asked for. The router is "
        "the host's own. Where output is expected, the event runs through a host with a store that is gone "
        "afterwards; a runner that may reach out is replaced by the script of the case. Without PATH all "
        "test files of the project are run.\n\nThe exit code is 0 when all holds, 1 when something does "
        "not, and 2 when there is nothing to check."
    ),
    examples=(
        ("lba test", t("All tests of the project in this folder.")),
        ("lba test bindings/refund.test.yaml -k night", t("The cases of one file that speak of the night.")),
        ("lba test --coverage --fail-under 80", t("What the cases exercise, and fail below 80 percent.")),
        ("lba test --mutate", t("Change each binding a little, and list the changes that no case notices.")),
    ),
)
@click.argument(
    "paths",
    cls=Argument,
    metavar="[PATH]…",
    nargs=-1,
    meaning=t("Test files, folders of them, or another project."),
)
@click.option("-k", "word", metavar="TEXT", help=t("Only cases whose name or file holds this text."))
@click.option("--coverage", is_flag=True, help=t("Show which bindings and filters the cases exercise."))
@click.option("--mutate", is_flag=True, help=t("Show which changes of the bindings no case notices."))
@click.option(
    "--fail-under",
    type=Whole(0, 100),
    help=t("Fail where fewer percent are exercised, or with --mutate noticed. [default: 100 with --mutate]"),
)
@click.option("--junit", metavar="FILE", help=t("Write the results as JUnit XML, too."))
@common
def command(
    session: Session,
    *,
    paths: tuple[str, ...],
    word: str | None,
    coverage: bool,
    mutate: bool,
    fail_under: int | None,
    junit: str | None,
) -> int:
    """Run tests."""
    from .test_run import Wanted, run_tests
    from .test_text import print_tested

    tested = run_tests(
        session,
        paths,
        Wanted(
            word=word,
            coverage=coverage or (fail_under is not None and not mutate),
            mutate=mutate,
            fail_under=fail_under,
            junit=junit,
        ),
    )
    print_tested(session.output, tested)
    session.output.document("test", tested.as_dict())
    return tested.exit_code
