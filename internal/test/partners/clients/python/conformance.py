"""Walks every list in pages of a few rows, with the client and the async client, and prints the rows."""

import asyncio
import json
import os
import time
import unittest
from datetime import date, datetime, timedelta, timezone
from unittest import mock

import clientintel
from clientintel import AsyncClient, Client

url, key = os.environ["URL"], os.environ["KEY"]
client = Client(url, key)
rows = {name: list(getattr(client, name)(limit=7)) for name in ("interviews", "campaigns", "synthesis", "portal")}

# Stopped after some rows and gone on with the cursor: nothing is missed.
walk = client.interviews(limit=7)
first = [row["id"] for row, _ in zip(walk, range(10))]
resumed = [row["id"] for row in client.interviews(limit=7, starting_after=walk.cursor)]
assert first[:7] + resumed == [row["id"] for row in rows["interviews"]]


async def again() -> None:
    client = AsyncClient(url, key)
    for name, found in rows.items():
        read = [row async for row in getattr(client, name)(limit=50)]
        assert [row.get("id") for row in read] == [row.get("id") for row in found], name
    one = await client.interview(rows["interviews"][0]["id"])
    assert one["data"]["interview"]["id"] == rows["interviews"][0]["id"]


asyncio.run(again())

for name in ("interviews", "campaigns", "synthesis"):
    frame, table = getattr(client, name)().to_pandas(), getattr(client, name)().to_arrow()
    assert len(frame) == table.num_rows == len(rows[name]), name
    assert str(frame["created_at"].dtype).startswith("datetime64[") and str(table.schema.field("created_at").type) == "timestamp[us, tz=UTC]"
assert sum(v is not None for v in table.column("document").to_pylist()) == len(rows["synthesis"])

series = client.analytics(date_from="2026-01-01")["data"]
assert series["total"] == len(series["rows"])
assert client.search("the", limit=3)["meta"]["count"] == 3


def refusal(call, kind, status, code):
    try:
        call()
    except kind as error:
        assert (error.status, error.code) == (status, code) and error.request_id, error
        return error
    raise AssertionError(f"{code}: not refused")


missing = "00000000-0000-4000-8000-000000000000"
refusal(lambda: list(client.interviews(date_from="yesterday")), clientintel.InvalidRequest, 400, "invalid_parameter")
refusal(lambda: list(client.interviews(starting_after="x")), clientintel.InvalidCursor, 400, "invalid_cursor")
refusal(lambda: list(Client(url, "cik_wrong").campaigns()), clientintel.Unauthenticated, 401, "invalid_api_key")
refusal(lambda: list(Client(url, os.environ["NARROW"]).interviews()), clientintel.MissingScope, 403, "insufficient_scope")
refusal(lambda: client.interview(missing), clientintel.NotFound, 404, "not_found")
refusal(lambda: list(Client(url + "/elsewhere", key).campaigns()), clientintel.NotFound, 404, "not_found")
stub = Client(os.environ["STUB"], key)
refusal(lambda: stub.interview("500"), clientintel.ServiceError, 500, "internal_error")
refusal(lambda: stub.interview("redirect"), clientintel.ApiError, 302, "unknown")
refusal(lambda: stub.interview("proxy"), clientintel.ApiError, 200, "unknown")
unavailable = refusal(lambda: stub.interview("503"), clientintel.Unavailable, 503, "measurement_unavailable")
assert unavailable.retry_after == 3601

# A default call is sent twice, and each wait is logged.
with unittest.TestCase().assertLogs("clientintel") as said:
    refusal(lambda: stub.interview("busy"), clientintel.Unavailable, 503, "unknown")
assert said.output == [f"WARNING:clientintel:waiting 1 s: {said.records[0].args[1]}"], said.output
try:
    Client("http://127.0.0.1:1", key, tries=1).interview(missing)
    raise AssertionError("reached")
except clientintel.OutOfReach as error:
    assert "127.0.0.1" in str(error), error

# The address serves with the API's path too; what is missing is named.
with Client(url + "/api/client/v1/", key) as same:
    assert same.interview(rows["interviews"][0]["id"])["data"]["interview"]["created_at"] == rows["interviews"][0]["created_at"]
    same.campaigns()
    assert len(same._connections._idle) == 1, "connections are not kept"
for given, named in (((url, " "), "CLIENTINTEL_KEY"), ((" ", key), "CLIENTINTEL_URL"), (("intelligence.example.com", key), "CLIENTINTEL_URL")):
    try:
        Client(*given)
        raise AssertionError("accepted")
    except ValueError as error:
        assert named in str(error), error

# Dates, and series counted from one answer.
moment = datetime.fromisoformat(rows["interviews"][3]["created_at"].replace("Z", "+00:00"))
assert len(list(client.interviews(date_from=moment.astimezone(timezone(timedelta(hours=5, minutes=30)))))) == 4
window = {"date_from": date(2026, 1, 1)}
counted = {by: client.sentiment(by, **window) for by in ("day", "week", "month", "campaign")}
of = {point["label"]: point["value"] for point in client.analytics(**window)["data"]["sentiment"]}
for by, frame in counted.items():
    assert frame.sum().to_dict() == of, by
    assert client.volume(by, **window)["interviews"].sum() == sum(of.values()), by
assert set(counted["week"].index.day_of_week) == {0} and len(counted["day"]) == (counted["day"].index[-1] - counted["day"].index[0]).days + 1
slug = next(row["slug"] for row in rows["campaigns"] if any(i["conversation_goal_id"] == row["id"] for i in rows["interviews"]))
nps = client.nps("month", campaign=slug, **window)
own = [i for i in rows["interviews"] if i["nps_score"] is not None and i["conversation_goal_id"] in {r["id"] for r in rows["campaigns"] if r["slug"] == slug}]
latest = [i["nps_score"] for i in own if i["created_at"][:7] == f"{nps.index[-1]:%Y-%m}"]
assert nps["scores"].sum() == len(own) and nps["scores"].iloc[-1] == len(latest)
assert abs(nps["nps"].iloc[-1] - 100 * (sum(v >= 9 for v in latest) - sum(v < 7 for v in latest)) / len(latest)) < 1e-9
assert asyncio.run(AsyncClient(url, key).nps("month", campaign=slug, **window)).equals(nps)
assert len(client.nps(date_from="2001-01-01", date_to="2001-01-02")) == 0

# An hour that is used up is over when the clock says so.
for spent in (Client(os.environ["STUB"], key, max_wait=0, leave=1), AsyncClient(os.environ["STUB"], key, max_wait=0, leave=1)):
    for passed, refused in ((0, False), (0, True), (1800, True), (3601, False)):
        with mock.patch("time.monotonic", lambda at=time.monotonic() + passed: at):
            try:
                asyncio.run(spent.interview("spent")) if isinstance(spent, AsyncClient) else spent.interview("spent")
                assert not refused, passed
            except clientintel.BudgetSpent:
                assert refused, passed

# One whose hour is used up by another waits as long as it is told, or fails at once.
spender, hasty = Client(url, key, leave=-1), Client(url, key, leave=-1, max_wait=0)
for _ in range(400):
    try:
        hasty.search("x", limit=1)
    except clientintel.RateLimited as error:
        assert error.retry_after and error.retry_after >= 1
        break
else:
    raise AssertionError("never refused")
spender.search("x", limit=1)
waits: list[str] = []
careful = Client(url, key, leave=29, on_wait=lambda seconds, reason: waits.append(reason))
careful.search("x", limit=1)
careful.search("x", limit=1)
assert waits[-1] == "few requests are left in this hour", waits
print(json.dumps(rows))
