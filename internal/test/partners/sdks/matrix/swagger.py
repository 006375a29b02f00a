import json
import os

from swagger_client import AnalyticsApi, ApiClient, CampaignsApi, Configuration, InterviewsApi, SearchApi, SynthesisApi
from swagger_client.rest import ApiException

env = os.environ


def using(base, key):
    configuration = Configuration()
    configuration.host = env[base]
    client = ApiClient(configuration, "Authorization", "Bearer " + key)
    # urllib3 waits as long as Retry-After says by itself, which is up to an hour.
    client.rest_client.pool_manager.connection_pool_kw["retries"] = False
    return client


def say(name, answer):
    print(name, json.dumps(ApiClient().sanitize_for_serialization(answer)), sep="\t")


def walk(name, call, **filters):
    while True:
        page = call(limit=2, **filters)
        say(name, page)
        if not page.meta.has_more:
            return
        filters["starting_after"] = page.meta.next_cursor  # None would be sent as a text


for mode in ("canonical", "legacy"):
    client = using("BASE", env[mode.upper()])
    interviews = InterviewsApi(client)
    walk(mode + " interviews", interviews.list_interviews)
    say(mode + " interview", interviews.get_interview(interviews.list_interviews(limit=1).data[0]["id"]))
    walk(mode + " campaigns", CampaignsApi(client).list_campaigns)
    walk(mode + " synthesis", SynthesisApi(client).list_synthesis)
    walk(mode + " portal", SynthesisApi(client).list_synthesis, surface="portal")
    say(mode + " analytics", AnalyticsApi(client).get_interview_analytics(date_from="2026-03-01", date_to="2026-03-31"))
    say(mode + " search", SearchApi(client).search_intelligence("late"))


def refused(call):
    try:
        call()
    except ApiException as error:
        print(f"error {error.status}", json.dumps(json.loads(error.body)["code"]), sep="\t")


refused(lambda: InterviewsApi(using("BASE", env["CANONICAL"])).list_interviews(date_from="yesterday"))
refused(lambda: InterviewsApi(using("BASE", "cik_wrong")).list_interviews())
refused(lambda: InterviewsApi(using("BASE", env["NARROW"])).list_interviews())
refused(lambda: InterviewsApi(using("BASE", env["CANONICAL"])).get_interview("00000000-0000-4000-8000-000000000000"))
refused(lambda: InterviewsApi(using("LIMITED", env["SPENT"])).list_interviews())
refused(lambda: InterviewsApi(using("STUB", "cik_any")).list_interviews())
refused(lambda: CampaignsApi(using("STUB", "cik_any")).list_campaigns())
