"""Lists, read page by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ._tables import arrow_table, data_frame

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Mapping

    from ._async import AsyncClient
    from ._client import Client

Row = TypeVar("Row")
Page = TypeVar("Page")


class _Position:
    """Where a walk is. cursor, given to the list again as starting_after, goes on with the page that the latest row was
    on: rows of that page come again, and none is missed. None is the beginning."""

    def __init__(self, path: str, filters: Mapping[str, object]) -> None:
        self._path = path
        self._filters = {name: value for name, value in filters.items() if name != "starting_after"}
        self.cursor = cast("str | None", filters.get("starting_after"))

    @property
    def _table(self) -> str:
        return self._path.removeprefix("/")


class Walk(_Position, Generic[Row, Page]):
    """A whole list: iterate over it for rows, over pages() for pages. Each iteration begins at cursor."""

    def __init__(self, client: Client, path: str, filters: Mapping[str, object]) -> None:
        super().__init__(path, filters)
        self._client = client

    def pages(self) -> Iterator[Page]:
        """The pages. A page's meta.next_cursor, kept, goes on behind that page."""
        while True:
            page = self._client._run(self._client._page(self._path, self._filters, self.cursor))
            yield cast("Page", page)
            if not page["meta"]["has_more"]:
                return
            self.cursor = page["meta"]["next_cursor"]

    def __iter__(self) -> Iterator[Row]:
        for page in self.pages():
            yield from cast("dict[str, list[Row]]", page)["data"]

    def to_pandas(self) -> Any:
        """The rows as a pandas frame (the extra named pandas)."""
        return data_frame(self._table, cast("Iterator[dict[str, Any]]", iter(self)))

    def to_arrow(self) -> Any:
        """The rows as a pyarrow table (the extra named arrow)."""
        return arrow_table(self._table, cast("Iterator[dict[str, Any]]", iter(self)))


class AsyncWalk(_Position, Generic[Row, Page]):
    """The same for async for."""

    def __init__(self, client: AsyncClient, path: str, filters: Mapping[str, object]) -> None:
        super().__init__(path, filters)
        self._client = client

    async def pages(self) -> AsyncIterator[Page]:
        while True:
            page = await self._client._run(self._client._page(self._path, self._filters, self.cursor))
            yield cast("Page", page)
            if not page["meta"]["has_more"]:
                return
            self.cursor = page["meta"]["next_cursor"]

    async def __aiter__(self) -> AsyncIterator[Row]:
        async for page in self.pages():
            for row in cast("dict[str, list[Row]]", page)["data"]:
                yield row

    async def to_pandas(self) -> Any:
        return data_frame(self._table, [cast("dict[str, Any]", row) async for row in self])

    async def to_arrow(self) -> Any:
        return arrow_table(self._table, [cast("dict[str, Any]", row) async for row in self])
