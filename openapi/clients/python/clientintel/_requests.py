"""What to send, when to wait and when to give up, apart from how it is sent: the client and the async client share it."""

from __future__ import annotations

import logging
import os
import random
import time
import urllib.parse
from typing import TYPE_CHECKING, Any, Union

from ._errors import BudgetSpent, ClientIntelError, OutOfReach, error_of
from ._transport import Answer, Connections, NoConnection, address

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    Step = Union[str, float]  # what to send for, or seconds to wait
    Steps = Generator[Step, Any, Any]

PATH = "/api/client/v1"
VERSION = "1.2.0"
log = logging.getLogger("clientintel")


class Requests:
    """Where and as whom to read, and how long to wait."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        leave: int = 0,
        max_wait: float = 30,
        tries: int = 2,
        timeout: float = 120,
        on_wait: Callable[[float, str], None] | None = None,
    ) -> None:
        url = (url or os.environ.get("CLIENTINTEL_URL") or "").strip()
        key = (key or os.environ.get("CLIENTINTEL_KEY") or "").strip()
        if not url:
            raise ValueError("no address: set CLIENTINTEL_URL, or pass url, such as https://intelligence.example.com")
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("https", "http") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise ValueError(f"url (CLIENTINTEL_URL) must be an address such as https://intelligence.example.com, not {url!r}")
        if not key:
            raise ValueError("no key: set CLIENTINTEL_KEY, or pass key")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("key (CLIENTINTEL_KEY) is no API key: it has spaces or other characters that no key has")
        self._base = parts.path.rstrip("/").removesuffix(PATH) + PATH
        self._connections = Connections(url, {
            "Authorization": "Bearer " + key, "Accept": "application/json", "Accept-Encoding": "gzip",
            "User-Agent": "clientintel-python/" + VERSION,
        }, timeout)
        self._leave, self._max_wait, self._tries = leave, max_wait, tries
        self._on_wait = on_wait
        self._opens = 0.0  # when the next request may be sent, by time.monotonic()
        self.latest: Answer | None = None

    def close(self) -> None:
        """Closes the connections. The client can be used again."""
        self._connections.close()

    def _get(self, path: str, params: Mapping[str, object]) -> Steps:
        """The steps to one answer. What is sent is answered with an Answer or a NoConnection."""
        target = address(self._base + path, params)
        waited, tried = 0.0, 0
        pause = self._opens - time.monotonic()
        if pause > self._max_wait and self._leave > 0:
            raise BudgetSpent(f"{pause:.0f} seconds to wait until requests are left, and max_wait is {self._max_wait:.0f}")
        if 0 < pause <= self._max_wait:  # beyond that the service decides
            waited = pause
            yield from self._wait(pause, "few requests are left in this hour")
        while True:
            answer = yield target
            tried += 1
            asked: int | None = None
            failure: ClientIntelError
            if isinstance(answer, NoConnection):
                failure = OutOfReach(str(answer))
            else:
                self.latest = answer
                self._budget(answer)
                if answer.status == 200:
                    try:
                        return answer.json()
                    except ValueError:
                        raise error_of(answer) from None
                failure = error_of(answer)
                if answer.status not in (429, 502, 503, 504):
                    raise failure
                asked = answer.number("Retry-After")
            backoff = min(5 * 2**tried / 2, 300) * (0.75 + random.random() / 4)
            seconds = float(asked) if asked is not None else backoff
            if tried >= self._tries or waited + seconds > self._max_wait:
                raise failure
            waited += seconds
            yield from self._wait(seconds, str(failure))

    def _wait(self, seconds: float, reason: str) -> Steps:
        log.warning("waiting %.0f s: %s", seconds, reason)
        if self._on_wait:
            self._on_wait(seconds, reason)
        yield seconds

    def _budget(self, answer: Answer) -> None:
        """Remaining still counts the request that it came with."""
        left, reset, now = answer.number("X-RateLimit-Remaining"), answer.number("X-RateLimit-Reset"), answer.date
        if answer.status != 429 and left is not None and left - 1 <= self._leave and reset is not None and now:
            self._opens = time.monotonic() + max(1.0, reset - now.timestamp())

    def _detail(self, id: str) -> Steps:
        return self._get("/interviews/" + urllib.parse.quote(id, safe=""), {})

    def _page(self, path: str, params: Mapping[str, object], cursor: str | None) -> Steps:
        return self._get(path, {**params, "starting_after": cursor})
