"""Errors that can be told apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._transport import Answer


class ClientIntelError(Exception):
    """Everything that this package raises by itself."""


class OutOfReach(ClientIntelError):
    """The service could not be reached, however often it was tried."""


class BudgetSpent(ClientIntelError):
    """What is left of the key's hour belongs to others (leave), for longer than max_wait."""


class StoreError(ClientIntelError):
    """The target of a sync could not be read or written."""


class ApiError(ClientIntelError):
    """An error answer of the service. Programs look at code."""

    def __init__(self, answer: Answer) -> None:
        try:
            said = json.loads(answer.body)
        except ValueError:
            said = None
        if not isinstance(said, dict) or "error" not in said:
            said = {"error": "is no answer of the API: is the address (CLIENTINTEL_URL) right?"}  # from a proxy, perhaps
        self.status = answer.status
        self.code: str = said.get("code", "unknown")
        self.message: str = said["error"]
        self.details: str | None = said.get("details")
        self.request_id = answer.headers.get("X-Request-Id")
        self.retry_after = answer.number("Retry-After")
        text = f"{self.status} {self.message}" + (f": {self.details}" if self.details else "")
        super().__init__(text + (f" (request {self.request_id})" if self.request_id else ""))


class InvalidRequest(ApiError):
    """400: a parameter is not accepted; details say which."""


class InvalidCursor(InvalidRequest):
    """400: the cursor is not of this list. Start the walk again without it."""


class Unauthenticated(ApiError):
    """401: the key is not accepted. Do not try again."""


class MissingScope(ApiError):
    """403: the key lacks a scope; the message names it."""


class NotFound(ApiError):
    """404: there is no such interview that the key may see."""


class RateLimited(ApiError):
    """429: the key's hour is used up for longer than max_wait."""


class ServiceError(ApiError):
    """500: the service is at fault. Report it with request_id."""


class Unavailable(ServiceError):
    """503: no answer, or none that can be proven. Do not make up figures."""


_BY_STATUS: dict[int, type[ApiError]] = {
    400: InvalidRequest, 401: Unauthenticated, 403: MissingScope, 404: NotFound, 429: RateLimited, 503: Unavailable,
}


def error_of(answer: Answer) -> ApiError:
    kind = _BY_STATUS.get(answer.status, ServiceError if answer.status >= 500 else ApiError)
    error = kind(answer)
    return InvalidCursor(answer) if error.code == "invalid_cursor" else error
