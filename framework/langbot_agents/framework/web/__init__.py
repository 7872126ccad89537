"""The host over HTTP."""

from .application import create_app
from .server import serve

__all__ = ["create_app", "serve"]
