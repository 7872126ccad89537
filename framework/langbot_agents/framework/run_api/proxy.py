"""`ctx.api` of one run."""

from ..resources import ModelRegistry
from ..store import Database
from ..store.artifacts import Artifacts
from .history import HistoryCalls
from .models import ModelCalls
from .session import AgentRunSession
from .state import StateCalls


class AgentRunAPIProxy:
    """What a run reaches, by capability; `ends_at` is of the loop's clock, and no call outlives it."""

    def __init__(
        self,
        session: AgentRunSession,
        *,
        db: Database,
        artifacts: Artifacts,
        models: ModelRegistry,
        ends_at: float,
    ) -> None:
        self.state = StateCalls(session, db)
        self.history = HistoryCalls(session, db)
        self.models = ModelCalls(session, models, db=db, artifacts=artifacts, ends_at=ends_at)
