"""`lba bindings graph`."""

import click

from ..texts import t
from .help_page import Command
from .options import Session, config_option, debug_option
from .words import OneOf, Span


@click.command(
    "graph",
    cls=Command,
    help=t("Show where events go: types to bindings, bindings to runners and to where output goes."),
    detail=t(
        "Under each event type stand the bindings that take it, the one that comes first on top, each with "
        "what the one above has better; scope and filters may still keep one out. With a store, each shows "
        "how many events it won in the span. It reads the files, and the store beside a running host."
    ),
    examples=(
        ("lba bindings graph", t("A tree for the terminal.")),
        ("lba bindings graph -o dot | dot -Tsvg > bindings.svg", t("A picture, by Graphviz.")),
    ),
)
@click.option("--since", type=Span(), default="7d", help=t("Span of the log that is counted. [default: 7d]"))
@click.option(
    "--workspace",
    metavar="NAME",
    default="default",
    help=t("Workspace whose log is counted. [default: default]"),
)
@click.option(
    "-o",
    "--output",
    "form",
    type=OneOf("text", "dot", "json"),
    default="text",
    help=t("How the result is printed: text for people, dot for Graphviz, json. [default: text]"),
)
@config_option
@debug_option
@click.pass_obj
def command(session: Session, *, since: float, workspace: str, form: str) -> int:
    """Show the graph."""
    import time

    from ..clock import rfc3339
    from ..errors import StoreError
    from ..store.traffic import traffic_since
    from .graph import graph_of
    from .graph_text import dot, print_graph
    from .loading import open_project, read_log

    session.output.as_json = form == "json"
    project = open_project(session)
    begin = rfc3339(time.time() - since)
    traffic = None
    try:
        traffic = read_log(project, lambda cursor: traffic_since(cursor, workspace, begin))
    except StoreError as error:  # the graph is as good without weights
        session.output.note((t("nothing is counted: {reason}", reason=error.message), "dim"))
    graph = graph_of(project.bindings.of_workspace(workspace), traffic, begin if traffic else None)
    if form == "dot":
        click.echo(dot(graph), nl=False)
    else:
        print_graph(session.output, graph)
        session.output.document("bindings-graph", graph.as_dict())
    return 0
