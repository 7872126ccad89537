"""Every endpoint of the host."""

from langbot_agents.schemas.events import AgentEventEnvelope
from langbot_agents.schemas.records import Decision, RunRecord
from langbot_agents.schemas.runners import AgentRunnerDescriptor

from . import asking, bindings, cloudevents, conversations, events, models, probes, results, runners, runs
from . import tokens as token_book
from .endpoints import Answer, Body, Endpoint, Parameter
from .openapi import get_openapi
from .reading import MAX_PAGE

_WORKSPACE = Parameter(
    name="workspace", description="Another workspace; only the host's own token may name one."
)
_CURSOR = Parameter(name="cursor", description="`next_cursor` of the page before, as it is.")


def _limit(default: int, most: int) -> Parameter:
    schema = {"type": "integer", "minimum": 1, "maximum": most, "default": default}
    return Parameter(name="limit", description="How many at most.", schema=schema)


_PAGE = (_limit(50, MAX_PAGE), _CURSOR, _WORKSPACE)
_EVENT_BODY = Body(
    description="An event, of which only `event_type` is needed, or a CloudEvent 1.0 (structured or binary).",
    model=AgentEventEnvelope,
    media_types=("application/json", cloudevents.STRUCTURED),
    partial=("event_type",),
)
_BINDING = "/v1/bindings/{binding_id:path}"
_CONVERSATION = "/v1/conversations/{key:path}"
_EVENT = "/v1/events/{event_uid:path}"

PROBES = (
    Endpoint(
        method="GET",
        path="/healthz",
        handler=probes.healthz,
        access="open",
        tag="host",
        answers={200: Answer("It answers.", models.Health)},
    ),
    Endpoint(
        method="GET",
        path="/readyz",
        handler=probes.readyz,
        access="open",
        tag="host",
        answers={
            200: Answer("It works, perhaps with a part out.", models.Readiness),
            503: Answer("It cannot take events.", models.Readiness),
        },
    ),
    Endpoint(
        method="GET",
        path="/openapi.json",
        handler=get_openapi,
        access="token",
        tag="host",
        answers={200: Answer("This description.")},
    ),
)
EVENTS = (
    Endpoint(
        method="POST",
        path="/v1/events",
        handler=events.post_event,
        access="ingest",
        tag="events",
        body=_EVENT_BODY,
        parameters=(
            Parameter(
                name="wait",
                description="Seconds to wait for the reply.",
                schema={"type": "number", "minimum": 0, "maximum": events.MAX_WAIT},
            ),
            Parameter(
                name="Idempotency-Key",
                description="Stands for a missing `event_id`; with another event than before it is a `409`.",
                place="header",
            ),
        ),
        answers={
            200: Answer(
                "With `wait`: the event and its reply. As a stream: `accepted`, `message.open`, "
                "`message.delta`, `message.close` for what is delivered, and `done`.",
                models.EventReply,
                streams=True,
            ),
            202: Answer("It is on disk.", models.EventAccepted),
        },
    ),
    Endpoint(
        method="GET",
        path="/v1/events",
        handler=events.list_events,
        access="read",
        tag="events",
        parameters=(
            *_PAGE,
            Parameter(name="event_type", description="Only events of this type."),
            Parameter(name="outcome", description="`matched`, `observed` or `unmatched`."),
            Parameter(
                name="order",
                description="`oldest` goes on as the log grows.",
                schema={"type": "string", "enum": list(events.ORDERS), "default": "newest"},
            ),
        ),
        answers={200: Answer("One page.", models.EventPage)},
    ),
    Endpoint(
        method="GET",
        path=_EVENT + "/decision",
        handler=events.get_decision,
        access="read",
        tag="events",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The decision, as it was made.", Decision)},
    ),
    Endpoint(
        method="GET",
        path=_EVENT,
        handler=events.get_event,
        access="read",
        tag="events",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The event; a CloudEvent for who accepts one.", models.EventDetail)},
    ),
    Endpoint(
        method="POST",
        path="/v1/route",
        handler=asking.route_event,
        access="read",
        tag="events",
        body=_EVENT_BODY,
        parameters=(
            _WORKSPACE,
            Parameter(
                name="at",
                description="The moment to decide for, Unix seconds; default now.",
                schema={"type": "number", "minimum": 0},
            ),
        ),
        answers={200: Answer("The explanation.", models.Explanation)},
    ),
)
RUNS = (
    Endpoint(
        method="GET",
        path="/v1/runs",
        handler=runs.list_runs,
        access="read",
        tag="runs",
        parameters=(
            *_PAGE,
            Parameter(name="binding_id", description="Only runs of this binding."),
            Parameter(
                name="status",
                description="Only runs in this state.",
                schema={"type": "string", "enum": list(runs.STATUSES)},
            ),
        ),
        answers={200: Answer("One page.", models.RunPage)},
    ),
    Endpoint(
        method="GET",
        path="/v1/runs/{run_id}",
        handler=runs.get_run,
        access="read",
        tag="runs",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The run.", RunRecord)},
    ),
    Endpoint(
        method="GET",
        path="/v1/runs/{run_id}/results",
        handler=results.get_results,
        access="read",
        tag="runs",
        parameters=(
            Parameter(
                name="after",
                description="Only results behind this sequence; a range that it lies in comes whole.",
                schema={"type": "integer", "minimum": 0, "default": 0},
            ),
            _limit(1000, 1000),
            _WORKSPACE,
            Parameter(name="Last-Event-ID", description="Where a stream broke off.", place="header"),
        ),
        answers={
            200: Answer(
                "The results. As a stream: each as an event named by its type, with its sequence as id, "
                "those of a run that lives as they come, then `done` with the run.",
                models.RunResults,
                streams=True,
            )
        },
    ),
    Endpoint(
        method="POST",
        path="/v1/runs/{run_id}/cancel",
        handler=runs.cancel_run,
        access="operate",
        tag="runs",
        parameters=(_WORKSPACE,),
        answers={
            200: Answer("It has ended already.", models.RunCancelled),
            202: Answer("It is ending.", models.RunCancelled),
        },
    ),
)
BINDINGS = (
    Endpoint(
        method="GET",
        path="/v1/bindings",
        handler=bindings.list_bindings,
        access="read",
        tag="bindings",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The bindings.", models.BindingList)},
    ),
    Endpoint(
        method="POST",
        path="/v1/bindings/validate",
        handler=asking.validate_bindings,
        access="read",
        tag="bindings",
        body=Body(
            description="Documents of kind AgentBinding, in YAML.",
            media_types=asking.YAML_TYPES,
            schema={"type": "string"},
        ),
        answers={200: Answer("The findings.", models.Validation)},
    ),
    Endpoint(
        method="POST",
        path=_BINDING + "/pause",
        handler=bindings.pause_binding,
        access="operate",
        tag="bindings",
        parameters=(_WORKSPACE,),
        body=Body(description="Why.", model=models.PauseRequest, required=False),
        answers={200: Answer("The binding, paused.", models.BindingPaused)},
    ),
    Endpoint(
        method="POST",
        path=_BINDING + "/resume",
        handler=bindings.resume_binding,
        access="operate",
        tag="bindings",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The binding, taking part.", models.BindingPaused)},
    ),
    Endpoint(
        method="GET",
        path=_BINDING,
        handler=bindings.get_binding,
        access="read",
        tag="bindings",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The binding.", models.BindingDetail)},
    ),
)
CONVERSATIONS = (
    Endpoint(
        method="GET",
        path="/v1/conversations",
        handler=conversations.list_conversations,
        access="read",
        tag="conversations",
        parameters=_PAGE,
        answers={200: Answer("One page.", models.ConversationPage)},
    ),
    Endpoint(
        method="POST",
        path=_CONVERSATION + "/reset",
        handler=conversations.reset_conversation,
        access="operate",
        tag="conversations",
        parameters=(_WORKSPACE,),
        answers={200: Answer("It begins anew.", models.ConversationReset)},
    ),
    Endpoint(
        method="GET",
        path=_CONVERSATION,
        handler=conversations.get_conversation,
        access="read",
        tag="conversations",
        parameters=_PAGE,
        answers={200: Answer("The conversation.", models.ConversationDetail)},
    ),
)
HOUSE = (
    Endpoint(
        method="GET",
        path="/v1/runners",
        handler=runners.list_runners,
        access="read",
        tag="runners",
        answers={200: Answer("The runners.", models.RunnerList)},
    ),
    Endpoint(
        method="GET",
        path="/v1/runners/{name:path}",
        handler=runners.get_runner,
        access="read",
        tag="runners",
        answers={200: Answer("The runner.", AgentRunnerDescriptor)},
    ),
    Endpoint(
        method="GET",
        path="/v1/tokens",
        handler=token_book.list_tokens,
        access="local",
        tag="tokens",
        parameters=(_WORKSPACE,),
        answers={200: Answer("The tokens.", models.TokenList)},
    ),
    Endpoint(
        method="POST",
        path="/v1/tokens",
        handler=token_book.create_token,
        access="local",
        tag="tokens",
        body=Body(description="What is wanted.", model=models.NewToken),
        answers={201: Answer("The token, shown once.", models.CreatedToken)},
    ),
    Endpoint(
        method="DELETE",
        path="/v1/tokens/{name:path}",
        handler=token_book.revoke_token,
        access="local",
        tag="tokens",
        parameters=(_WORKSPACE,),
        answers={204: Answer("It has ended.")},
    ),
)

ENDPOINTS: tuple[Endpoint, ...] = (*PROBES, *EVENTS, *RUNS, *BINDINGS, *CONVERSATIONS, *HOUSE)
