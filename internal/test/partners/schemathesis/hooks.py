"""What a generated request must keep to so that it is as right as its schemas say.

The contract leaves dates and cursors plain strings, so that their faults get codes of their own, and says in words which
parameters go together. Requests that are meant to be accepted are held to those words here; requests that are meant to be
refused are left alone.
"""

import schemathesis

# Years of four digits and days that every month has; date_from never lies after date_to.
DATES = {
    "date_from": r"^20(0\d|1\d)-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$",
    "date_to": r"^20(2\d|3\d)-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$",
    "day": r"^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])$",
    "updated_since": r"^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?Z)?$",
}


@schemathesis.hook
def before_load_schema(context, raw_schema):
    shared = raw_schema["components"]["parameters"]
    for item in raw_schema["paths"].values():
        for parameter in item["get"].get("parameters", []):
            parameter = shared[parameter["$ref"].rsplit("/", 1)[1]] if "$ref" in parameter else parameter
            if parameter["name"] in DATES:
                parameter["schema"] = {"type": "string", "pattern": DATES[parameter["name"]]}
                for said in ("example", "examples"):  # they need not fit the narrower pattern
                    parameter.pop(said, None)


@schemathesis.hook
def map_case(context, case):
    if case.meta is not None and case.meta.generation.mode.is_positive and isinstance(case.query, dict):
        case.query = accepted(case.operation.path, case.query)
    return case


@schemathesis.hook
def before_add_examples(context, examples):
    for case in examples:
        if isinstance(case.query, dict):
            case.query = accepted(case.operation.path, case.query)


def accepted(path, query):
    """The query without what does not go with the rest of it."""
    if path.endswith("/search"):  # a text of nothing but white space is refused
        query = {**query, "q": str(query.get("q", "")).strip() or "late"}
    # A cursor is issued for one list and cannot be made up. Walks are what the connectors are tested on.
    dropped = {"starting_after"}
    if "day" in query:
        dropped |= {"date_from", "date_to"}
    if path.endswith("/synthesis"):
        portal, kind = query.get("surface") == "portal", query.get("type")
        if portal:
            dropped |= {"updated_since", "lane_id", "campaign_id"}
        if not portal and kind in ("playbook", "creative_concept"):
            dropped |= {"type"}
        if not portal or kind != "lane":
            dropped |= {"lane"}
        if not portal or kind != "campaign":
            dropped |= {"campaign"}
        if kind != "daily_feed" and (portal or kind is not None):
            dropped |= {"day", "date_from", "date_to"}
    return {name: value for name, value in query.items() if name not in dropped}
