"""The engine `remote`: asks a worker, on this computer or a server, over HTTP."""

from .engine import RemoteEngine, create

__all__ = ["RemoteEngine", "create"]
