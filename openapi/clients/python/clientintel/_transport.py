"""One request and its answer. Standard library only."""

from __future__ import annotations

import gzip
import http.client
import json
import urllib.error
import urllib.parse
import urllib.request
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class Answer(NamedTuple):
    """What came back, whatever its status."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)

    def number(self, header: str) -> int | None:
        text = self.headers.get(header) or ""
        return int(text) if text.isdigit() else None

    @property
    def date(self) -> datetime | None:
        text = self.headers.get("Date")
        return parsedate_to_datetime(text) if text else None


class NoConnection(Exception):
    """The service was not reached, or its answer broke off."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another address."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


def send(url: str, headers: Mapping[str, str], timeout: float) -> Answer:
    """Sends a GET. Raises NoConnection, and nothing else."""
    request = urllib.request.Request(url, headers=dict(headers))
    try:
        try:
            response = _opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refusal:
            response = refusal
        with response:
            body: bytes = response.read()
            if response.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            return Answer(int(response.status), response.headers, body)
    except (OSError, EOFError, http.client.HTTPException) as broken:
        raise NoConnection(str(broken)) from broken


def address(base: str, path: str, params: Mapping[str, object]) -> str:
    given = {name: value for name, value in params.items() if value is not None}
    return base + path + ("?" + urllib.parse.urlencode(given) if given else "")
