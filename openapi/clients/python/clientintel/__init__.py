"""A client of the Client Intelligence API. README.md says how to use it; models has the types of the answers."""

from ._async import AsyncClient
from ._client import Client
from ._errors import (
    ApiError,
    BudgetSpent,
    ClientIntelError,
    InvalidCursor,
    InvalidRequest,
    MissingScope,
    NotFound,
    OutOfReach,
    RateLimited,
    ServiceError,
    StoreError,
    Unauthenticated,
    Unavailable,
)
from ._requests import VERSION as __version__
from ._sync import Counts
from ._walks import AsyncWalk, Walk

__all__ = [
    "ApiError", "AsyncClient", "AsyncWalk", "BudgetSpent", "Client", "ClientIntelError", "Counts", "InvalidCursor", "InvalidRequest",
    "MissingScope", "NotFound", "OutOfReach", "RateLimited", "ServiceError", "StoreError", "Unauthenticated", "Unavailable", "Walk",
    "__version__",
]
