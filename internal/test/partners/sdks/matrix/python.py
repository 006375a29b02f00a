import json
import os

from openapi_client import ApiClient, Configuration
from openapi_client.api import AnalyticsApi, CampaignsApi, InterviewsApi, SearchApi, SynthesisApi
from openapi_client.exceptions import ApiException

env = os.environ


def using(base, key):
    # urllib3 waits as long as Retry-After says by itself, which is up to an hour.
    return ApiClient(Configuration(host=env[base], access_token=key, retries=False))


def say(name, answer):
    print(name, json.dumps(json.loads(answer.to_json())), sep="\t")


def walk(name, call, **filters):
    after = None
    while True:
        page = call(limit=2, starting_after=after, **filters)
        say(name, page)
        if not page.meta.has_more:
            return
        after = page.meta.next_cursor


for mode in ("canonical", "legacy"):
    client = using("BASE", env[mode.upper()])
    interviews = InterviewsApi(client)
    walk(mode + " interviews", interviews.list_interviews)
    say(mode + " interview", interviews.get_interview(interviews.list_interviews(limit=1).data[0].id))
    walk(mode + " campaigns", CampaignsApi(client).list_campaigns)
    walk(mode + " synthesis", SynthesisApi(client).list_synthesis)
    walk(mode + " portal", SynthesisApi(client).list_synthesis, surface="portal")
    say(mode + " analytics", AnalyticsApi(client).get_interview_analytics(date_from="2026-03-01", date_to="2026-03-31"))
    say(mode + " search", SearchApi(client).search_intelligence(q="late"))


def refused(call):
    try:
        call()
    except ApiException as error:
        print(f"error {error.status}", json.dumps(error.data.code), sep="\t")


refused(lambda: InterviewsApi(using("BASE", env["CANONICAL"])).list_interviews(date_from="yesterday"))
refused(lambda: InterviewsApi(using("BASE", "cik_wrong")).list_interviews())
refused(lambda: InterviewsApi(using("BASE", env["NARROW"])).list_interviews())
refused(lambda: InterviewsApi(using("BASE", env["CANONICAL"])).get_interview("00000000-0000-4000-8000-000000000000"))
refused(lambda: InterviewsApi(using("LIMITED", env["SPENT"])).list_interviews())
refused(lambda: InterviewsApi(using("STUB", "cik_any")).list_interviews())
refused(lambda: CampaignsApi(using("STUB", "cik_any")).list_campaigns())
