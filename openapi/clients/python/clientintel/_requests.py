"""What to send, when to wait and when to give up, apart from how it is sent: the client and the async client share it."""

from __future__ import annotations

import json
import os
import random
import time
import urllib.parse
from typing import TYPE_CHECKING, Any, Union

from ._errors import BudgetSpent, OutOfReach, error_of
from ._transport import Answer, NoConnection, address

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    Step = Union[str, float]  # an address to send to, or seconds to wait
    Steps = Generator[Step, Any, Any]

PATH = "/api/client/v1"
VERSION = "1.2.0"


class Requests:
    """Where and as whom to read, and how long to wait."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        leave: int = 0,
        max_wait: float = 3600,
        tries: int = 8,
        timeout: float = 120,
        on_wait: Callable[[float, str], None] | None = None,
    ) -> None:
        url = url or os.environ.get("CLIENTINTEL_URL") or ""
        key = key or os.environ.get("CLIENTINTEL_KEY") or ""
        if not url.startswith(("https://", "http://")):
            raise ValueError(f"url must be an address such as https://intelligence.example.com, not {url!r}")
        if not key or not key.isascii() or not key.isprintable() or " " in key:
            raise ValueError("key is empty, or no key")
        self._base = url.rstrip("/") + PATH
        self._headers = {
            "Authorization": "Bearer " + key, "Accept": "application/json", "Accept-Encoding": "gzip",
            "User-Agent": "clientintel-python/" + VERSION,
        }
        self._leave, self._max_wait, self._tries, self._timeout = leave, max_wait, tries, timeout
        self._on_wait = on_wait
        self._opens = 0.0  # when the next request may be sent, by time.monotonic()
        self.latest: Answer | None = None

    def _get(self, path: str, params: Mapping[str, object]) -> Steps:
        """The steps to one answer. Each address is answered with an Answer or a NoConnection."""
        url = address(self._base, path, params)
        waited, failures = 0.0, 0
        pause = self._opens - time.monotonic()
        if pause > self._max_wait:
            raise BudgetSpent(f"{pause:.0f} seconds to wait until requests are left")
        if pause > 0:
            yield from self._wait(pause, "few requests are left in this hour")
        while True:
            answer = yield url
            if isinstance(answer, NoConnection):
                failures += 1
                if failures >= self._tries:
                    raise OutOfReach(str(answer)) from answer
                asked, reason = None, str(answer)
            else:
                self.latest = answer
                self._budget(answer)
                if answer.status == 200:
                    return json.loads(answer.body)
                if answer.status not in (429, 502, 503, 504):
                    raise error_of(answer)
                asked, reason = answer.number("Retry-After"), f"status {answer.status}"
                failures += answer.status != 429  # waiting out a quota is sure to help
                if failures >= self._tries:
                    raise error_of(answer)
            backoff = min(5 * 2**failures / 2, 300) * (0.75 + random.random() / 4)
            seconds = float(asked) if asked is not None else backoff
            if waited + seconds > self._max_wait:
                if isinstance(answer, NoConnection):
                    raise OutOfReach(reason) from answer
                raise error_of(answer)
            waited += seconds
            yield from self._wait(seconds, reason)

    def _wait(self, seconds: float, reason: str) -> Steps:
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
