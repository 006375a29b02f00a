"""One request and its answer, over connections that are kept. Standard library only."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import urllib.parse
import urllib.request
import zlib
from datetime import date, datetime, timezone
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping
    from email.message import Message


class Answer(NamedTuple):
    """What came back, whatever its status."""

    status: int
    headers: Message
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body, parse_float=_number)

    def number(self, header: str) -> int | None:
        text = self.headers.get(header) or ""
        return int(text) if text.isdigit() else None

    @property
    def date(self) -> datetime | None:
        text = self.headers.get("Date")
        return parsedate_to_datetime(text) if text else None


def _number(text: str) -> float | int:
    """A float, or where that would be infinite, an integer."""
    number = float(text)
    return number if abs(number) != float("inf") else int(Decimal(text))


class NoConnection(Exception):
    """The service was not reached, or its answer broke off."""


class Connections:
    """Connections to one address, through the proxy that the environment names. It is safe for threads."""

    def __init__(self, url: str, headers: Mapping[str, str], timeout: float) -> None:
        self._idle: list[http.client.HTTPConnection] = []
        self._url = urllib.parse.urlsplit(url)
        self._headers, self._timeout = dict(headers), timeout
        proxy = urllib.request.getproxies().get(self._url.scheme)
        # Not typed everywhere: the function depends on the system.
        bypassed = getattr(urllib.request, "proxy_bypass")(self._url.hostname or "")
        self._proxy = urllib.parse.urlsplit(proxy if "://" in proxy else "http://" + proxy) if proxy and not bypassed else None
        self._proxy_headers: dict[str, str] = {}
        if self._proxy and self._proxy.username:
            login = f"{urllib.parse.unquote(self._proxy.username)}:{urllib.parse.unquote(self._proxy.password or '')}"
            self._proxy_headers["Proxy-Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()

    def send(self, target: str) -> Answer:
        """Sends a GET. Raises NoConnection, and nothing else. No redirect is followed: it would take the key elsewhere."""
        try:
            while self._idle:
                kept = self._idle.pop()
                try:
                    return self._exchange(kept, target)
                except (ConnectionError, http.client.BadStatusLine):
                    kept.close()  # the service closed it meanwhile
            return self._exchange(self._connect(), target)
        except (OSError, EOFError, zlib.error, http.client.HTTPException) as broken:
            raise NoConnection(f"{self._url.hostname} is out of reach: {broken or type(broken).__name__}") from broken

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        self.close()  # of a client that was not closed itself

    def _connect(self) -> http.client.HTTPConnection:
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        to = self._proxy or self._url
        connection = kind(to.hostname or "", to.port or (80 if self._proxy else None), timeout=self._timeout)
        if self._proxy and secure:
            connection.set_tunnel(self._url.hostname or "", self._url.port, self._proxy_headers)
        return connection

    def _exchange(self, connection: http.client.HTTPConnection, target: str) -> Answer:
        headers = self._headers
        if self._proxy and self._url.scheme == "http":
            target, headers = f"http://{self._url.netloc}{target}", headers | self._proxy_headers
        try:
            connection.request("GET", target, headers=headers)
            response = connection.getresponse()
            body = response.read()
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._idle.append(connection)
        if response.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        return Answer(response.status, response.headers, body)


def address(path: str, params: Mapping[str, object]) -> str:
    given = {name: _text(value) for name, value in params.items() if value is not None}
    return path + ("?" + urllib.parse.urlencode(given) if given else "")


def _text(value: object) -> object:
    if isinstance(value, datetime):
        return (value.astimezone(timezone.utc) if value.tzinfo else value).isoformat()
    return value.isoformat() if isinstance(value, date) else value
