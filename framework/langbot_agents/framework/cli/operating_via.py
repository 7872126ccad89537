"""Where operating commands do their work: at the running host, or on the store where none runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..project import Project
from .operating import Operator
from .operating_host import HostOperator
from .operating_store import StoreOperator
from .options import Session
from .remote import RemoteHost


@contextmanager
def operator(session: Session, project: Project) -> Iterator[Operator]:
    """The running host of the project, else its store."""
    host = RemoteHost.find(project)
    if host is None:
        yield StoreOperator(project)
        return
    try:
        yield HostOperator(host)
    finally:
        host.close()
