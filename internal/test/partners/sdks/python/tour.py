"""Sends the generated Python client on its tour."""

import json
import os

from made.api.interviews import list_interviews
from made.api.synthesis import list_synthesis
from made.client import AuthenticatedClient
from made.models import ErrorResponse, InterviewListResponse, PublishedSynthesisBody, SynthesisDocumentRow, SynthesisListResponse
from made.models.list_synthesis_surface import ListSynthesisSurface
from made.types import UNSET


def using(base: str, key: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=os.environ[base], token=key)


full = using("BASE", os.environ["KEY"])

interviews: list[str] = []
after = UNSET
while True:
    page = list_interviews.sync(client=full, limit=2, starting_after=after)
    assert isinstance(page, InterviewListResponse), page
    interviews += [str(one.id) for one in page.data]
    if not page.meta.has_more:
        break
    after = page.meta.next_cursor

collection = list_synthesis.sync(client=full)
assert isinstance(collection, SynthesisListResponse), collection
row = collection.data[0]
assert isinstance(row, SynthesisDocumentRow), row

portal = list_synthesis.sync(client=full, surface=ListSynthesisSurface.PORTAL)
assert isinstance(portal, SynthesisListResponse), portal
body = portal.data[0]
assert isinstance(body, PublishedSynthesisBody), body


def refused(base: str, key: str, **query: int):
    answer = list_interviews.sync_detailed(client=using(base, key), **query)
    assert isinstance(answer.parsed, ErrorResponse), answer
    return f"{int(answer.status_code)} {answer.parsed.code}", answer


limited, answer = refused("LIMITED", os.environ["SPENT"])
print(
    json.dumps(
        {
            "interviews": interviews,
            "row": row.contract_version,
            "portal": body.schema,
            "integrity": str(body.measurement_integrity.status),
            "unauthorized": refused("BASE", "cik_wrong")[0],
            "forbidden": refused("BASE", os.environ["NARROW"])[0],
            "invalid": refused("BASE", os.environ["KEY"], limit=0)[0],
            "limited": limited,
            "mayRetry": int(answer.headers["Retry-After"]) > 0,
        }
    )
)
