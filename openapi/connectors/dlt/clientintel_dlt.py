"""A dlt source for the Client Intelligence API. README.md beside it says how to run it, and why it does what it does."""

import os
import sys
from datetime import timedelta
from email.utils import parsedate_to_datetime

import dlt
from dlt.common.destination.exceptions import DestinationUndefinedEntity
from dlt.pipeline.exceptions import PipelineNeverRan
from dlt.sources.helpers import requests
from dlt.sources.helpers.rest_client import RESTClient
from dlt.sources.helpers.rest_client.auth import BearerTokenAuth
from dlt.sources.helpers.rest_client.paginators import JSONResponseCursorPaginator

LOOK_BACK = timedelta(days=30)  # interviews this young are read again each time
OVERLAP = timedelta(days=1)     # changes this old are read again each time
CHUNK = 5000                    # interviews per window when asking which are visible

# participant_name is left out, so that the warehouse holds no names.
INTERVIEW = {
    "id": "text", "conversation_goal_id": "text", "interview_type": "text", "status": "text",
    "duration_seconds": "double", "nps_score": "double", "customer_sentiment": "text", "churn_risk": "text",
    "best_quote": "text", "created_at": "timestamp",
}
CAMPAIGN = {
    "id": "text", "slug": "text", "display_name": "text", "goal": "text", "key_questions": "json",
    "target_segment": "text", "launch_status": "text", "active": "bool", "launched_at": "timestamp",
    "created_at": "timestamp", "updated_at": "timestamp",
}
SYNTHESIS = {
    "id": "text", "synthesis_type": "text", "lane_id": "text", "conversation_goal_id": "text",
    "contract_version": "text", "document": "json", "feed_date": "date", "last_refreshed": "timestamp",
    "created_at": "timestamp", "updated_at": "timestamp",
}


class Service:
    """The API, as far as a loader needs it."""

    def __init__(self, url, key, page=200):
        # Twelve attempts, each as late as the service asks: a used up quota asks for up to an hour.
        session = requests.Client(
            request_timeout=120, request_max_attempts=12, request_backoff_factor=2, request_max_retry_delay=3600,
            status_codes=(429, 502, 503, 504), raise_for_status=False,
        ).session
        self.page = page
        base = url.rstrip("/").removesuffix("/api/client/v1") + "/api/client/v1"
        self.rest = RESTClient(base, auth=BearerTokenAuth(key), session=session)

    def pages(self, path, **filters):
        """The pages of a list: its rows, and the service's time when it sent them."""
        paginator = JSONResponseCursorPaginator(cursor_path="meta.next_cursor", cursor_param="starting_after")
        for page in self.rest.paginate(path, params={"limit": self.page, **filters}, paginator=paginator,
                                       data_selector="data"):
            yield list(page), parsedate_to_datetime(page.response.headers["Date"])

    def meta(self, path, **filters):
        answer = self.rest.get(path, params={"limit": 1, **filters})
        answer.raise_for_status()
        return answer.json()["meta"], parsedate_to_datetime(answer.headers["Date"])

    def interview(self, id):
        answer = self.rest.get("interviews/" + id)
        if answer.status_code == 404:  # withdrawn a moment ago
            return None
        answer.raise_for_status()
        return answer.json()["data"]["interview"]


def kept(rows, fields):
    # dlt writes no integer beyond 64 bits.
    return [
        {name: float(row[name]) if kind == "double" and row[name] is not None else row[name] for name, kind in fields.items()}
        for row in rows
    ]


def gone(ids):
    return [{"id": id, "withdrawn": True} for id in sorted(ids)]


def changed(service, path, fields, full, known):
    """Campaigns and synthesis: what has changed since the last complete walk."""
    state = dlt.current.resource_state()
    everything = full or "checkpoint" not in state
    seen, started = set(), None
    for rows, now in service.pages(path, **({} if everything else {"updated_since": state["checkpoint"]})):
        started = started or now
        seen |= {row["id"] for row in rows}
        yield kept(rows, fields)
    checkpoint = (started - OVERLAP).strftime("%Y-%m-%dT%H:%M:%SZ")
    if everything:
        # A row that was refreshed meanwhile has moved to the front, to pages already read.
        for rows, _ in service.pages(path, updated_since=checkpoint):
            seen |= {row["id"] for row in rows}
            yield kept(rows, fields)
        yield gone(set(known) - seen)
    # dlt stores the state together with the rows: a load that breaks off leaves the old one.
    state["checkpoint"] = checkpoint


def interviews(service, full, known):
    """Interviews: the young ones again, then those that have appeared or gone."""
    meta, now = service.meta("interviews")
    holder = dlt.current.source_state().setdefault("client_id", meta["client_id"])
    if holder != meta["client_id"]:  # every row there would be missing here, and be deleted
        raise ValueError(f"the tables hold client {holder}, and the key is of {meta['client_id']}: choose another dataset_name")
    seen = set()

    def fresh(rows):
        new = [row for row in rows if row["id"] not in seen]
        seen.update(row["id"] for row in new)
        return kept(new, INTERVIEW)

    for rows, _ in service.pages("interviews", date_from=(now - LOOK_BACK).strftime("%Y-%m-%d")):
        yield fresh(rows)
    visible = None if full else visible_ids(service, known)
    if visible is None or len(visible - set(known) - seen) > 1 + len(visible) / 200:
        visible = set()  # a walk takes fewer requests than asking for each
        for rows, _ in service.pages("interviews"):
            visible |= {row["id"] for row in rows}
            yield fresh(rows)
    for missing in sorted(visible - set(known) - seen):
        found = service.interview(missing)
        if found:
            yield fresh([found])
    yield gone(set(known) - visible)


def visible_ids(service, known):
    """The ids of all visible interviews, or None where the service does not list them."""
    cuts = sorted(known.values())[CHUNK::CHUNK]
    ids = set()
    for start, end in zip([None] + cuts, cuts + [None]):
        window = {name: day for name, day in (("date_from", start), ("date_to", end)) if day}
        meta, _ = service.meta("interviews", **window)
        if "measurement_basis" not in meta:
            return None
        ids.update(meta["measurement_basis"]["source_interview_ids"])
    return ids


def table(generator, name, fields, *arguments):
    columns = {field: {"data_type": kind} for field, kind in fields.items()}
    columns["withdrawn"] = {"data_type": "bool", "hard_delete": True}
    if "updated_at" in columns:  # of a row read twice, the later
        columns["updated_at"]["dedup_sort"] = "desc"
    return dlt.resource(generator, name=name, primary_key="id", write_disposition="merge", columns=columns,
                        max_table_nesting=0)(*arguments)


@dlt.source(name="clientintel", max_table_nesting=0)
def clientintel(service, known, full=False):
    """known holds what the tables have: by table, each id and the day it was created."""
    return [
        table(changed, "campaigns", CAMPAIGN, service, "campaigns", CAMPAIGN, full, known.get("campaigns", {})),
        table(changed, "synthesis", SYNTHESIS, service, "synthesis", SYNTHESIS, full, known.get("synthesis", {})),
        table(interviews, "interviews", INTERVIEW, service, full, known.get("interviews", {})),
    ]


def known_rows(pipeline):
    """Each table's ids in the destination, with the day they were created."""
    known = {}
    for name in ("campaigns", "synthesis", "interviews"):
        try:
            with pipeline.sql_client() as client:
                rows = client.execute_sql(f"SELECT id, CAST(created_at AS VARCHAR) FROM {client.make_qualified_table_name(name)}")
        except (DestinationUndefinedEntity, PipelineNeverRan):
            continue  # the first load
        known[name] = {id: (created or "")[:10] for id, created in rows}
    return known


def load(pipeline, service, full=False):
    pipeline.sync_destination()  # the checkpoints, when another machine ran last
    return pipeline.run(clientintel(service, known_rows(pipeline), full))


if __name__ == "__main__":
    for variable in ("CLIENTINTEL_URL", "CLIENTINTEL_KEY"):
        if not os.environ.get(variable):
            sys.exit(f"set {variable}")
    service = Service(os.environ["CLIENTINTEL_URL"], os.environ["CLIENTINTEL_KEY"],
                      page=int(os.environ.get("CLIENTINTEL_PAGE", "200")))
    pipeline = dlt.pipeline("clientintel", destination="duckdb", dataset_name="voice")
    print(load(pipeline, service, full="full" in sys.argv[1:]))
