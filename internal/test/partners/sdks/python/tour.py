"""Reads with the client of openapi-python-client and prints what it decoded."""

import json
import os
from typing import Any

from made.api.analytics import get_interview_analytics
from made.api.campaigns import list_campaigns
from made.api.interviews import get_interview, list_interviews
from made.api.search import search_intelligence
from made.api.synthesis import list_synthesis
from made.client import AuthenticatedClient
from made.models.list_synthesis_surface import ListSynthesisSurface
from made.types import UNSET

env = os.environ


def using(base: str, key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=env[base], token=key)


def say(name: str, answer: Any) -> Any:
    print(name, json.dumps(answer.to_dict()), sep="\t")
    return answer


def walk(name: str, client: AuthenticatedClient, operation: Any, **filters: Any) -> None:
    after: Any = UNSET
    while True:
        page = say(name, operation.sync(client=client, limit=2, starting_after=after, **filters))
        if not page.meta.has_more:
            return
        after = page.meta.next_cursor


for mode in ("canonical", "legacy"):
    client = using("BASE", env[mode.upper()])
    walk(f"{mode} interviews", client, list_interviews)
    first = list_interviews.sync(client=client, limit=1).data[0]
    say(f"{mode} interview", get_interview.sync(first.id, client=client))
    walk(f"{mode} campaigns", client, list_campaigns)
    walk(f"{mode} synthesis", client, list_synthesis)
    walk(f"{mode} portal", client, list_synthesis, surface=ListSynthesisSurface.PORTAL)
    say(f"{mode} analytics", get_interview_analytics.sync(client=client, date_from="2026-03-01", date_to="2026-03-31"))
    say(f"{mode} search", search_intelligence.sync(client=client, q="late"))


def refused(answer: Any) -> None:
    print(f"error {answer.status_code.value}", json.dumps(answer.parsed.code), sep="\t")


canonical, stub = using("BASE", env["CANONICAL"]), using("STUB", "cik_any")
refused(list_interviews.sync_detailed(client=canonical, date_from="yesterday"))
refused(list_interviews.sync_detailed(client=using("BASE", "cik_wrong")))
refused(list_interviews.sync_detailed(client=using("BASE", env["NARROW"])))
refused(get_interview.sync_detailed("00000000-0000-4000-8000-000000000000", client=canonical))
refused(list_interviews.sync_detailed(client=using("LIMITED", env["SPENT"])))
refused(list_interviews.sync_detailed(client=stub))
refused(list_campaigns.sync_detailed(client=stub))
