"""`/v1/runners`: what is installed."""

from starlette.requests import Request
from starlette.responses import Response

from ..errors import NotFoundError, RunnerError
from .answers import answer
from .models import RunnerList
from .reading import host_of


async def list_runners(request: Request) -> Response:
    """Every runner with its state, the usable ones first."""
    return answer(RunnerList(runners=host_of(request).project.registry.descriptors()))


async def get_runner(request: Request) -> Response:
    """The runner of that id or alias, a quarantined one too."""
    name, registry = request.path_params["name"], host_of(request).project.registry
    for item in registry.descriptors():
        if name in (item.id, *item.aliases):
            return answer(item)
    try:
        return answer(registry.resolve(name).descriptor)
    except RunnerError as error:
        raise NotFoundError(error.message, remedy=error.remedy) from None
