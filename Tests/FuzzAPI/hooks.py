"""What schemathesis must be told about UPMC: whose credential a call needs, and the few rules that JSON Schema cannot
express. It is loaded with SCHEMATHESIS_HOOKS; the stage comes from fuzz_api.py in a file of JSON."""

import atexit
import collections
import datetime
import json
import os
import re
import zlib
import zoneinfo

import jsonschema
import schemathesis
import urllib.parse
from hypothesis import strategies

with open(os.environ["UPMC_FUZZ_STAGE"], encoding="utf-8") as file:
    STAGE = json.load(file)

# Device id to authKey, those that the run itself registers included.
AUTH_KEYS = dict(STAGE["authKeys"])


@schemathesis.auth(refresh_interval=None)
class Credentials:
    """The credential of each operation, as its security scheme names it."""

    def get(self, case, context):
        schemes = [name for choice in case.operation.definition.raw.get("security", []) for name in choice]
        if "apiKey" in schemes:
            return STAGE["apiKey"]
        if "clientKey" in schemes:
            return STAGE["clientKey"]
        if "authKey" in schemes:
            device = str((case.path_parameters or {}).get("device", ""))
            return AUTH_KEYS.get(device.lower()) or next(iter(AUTH_KEYS.values()))
        return None

    def set(self, case, data, context):
        if data is not None:
            case.headers = {**(case.headers or {}), "Authorization": f"Bearer {data}"}


# What was answered, by operation: for the table at the end of a run.
ANSWERS = collections.defaultdict(collections.Counter)


@schemathesis.hook
def after_call(context, case, response):
    """Counts, and learns the keys of devices that were registered on the way."""
    name = case.operation.definition.raw.get("operationId")
    ANSWERS[name][str(response.status_code)] += 1
    if name == "registerDevice" and response.status_code in (200, 201):
        answer = json.loads(response.content)
        AUTH_KEYS[answer["device"]] = answer["authKey"]


@schemathesis.check
def documented_problem(context, response, case):
    """A problem has the status of its answer, and a code that the document has there."""
    root = case.operation.schema.raw_schema
    answer = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    if "$ref" in answer:
        answer = root["components"]["responses"][answer["$ref"].split("/")[-1]]
    codes = answer.get("x-problemTypes")
    if codes is None:
        return
    problem = json.loads(response.content)
    if problem["type"] not in codes or problem["status"] != response.status_code:
        raise AssertionError(f"{response.status_code} with {problem['status']} {problem['type']}, documented are {codes}")


@atexit.register
def write_answers():
    with open(os.environ["UPMC_FUZZ_STAGE"] + ".answers", "w", encoding="utf-8") as file:
        json.dump(ANSWERS, file)


# What JSON Schema has no words for. A request that breaks one of these is refused with 400 although its schema is met,
# so it is not offered as a good one.

ZONES = zoneinfo.available_timezones()
UNITS = {"W": 604800, "D": 86400, "H": 3600, "M": 60, "S": 1}


# What only Apple and Google can make. The key is the one that the stage's simulator trusts.
SECRETS = {"p8": [STAGE["apnsKey"]], "push-certificate": [], "service-account": []}
schemathesis.openapi.format("p8", strategies.just(STAGE["apnsKey"]))


def seconds(duration):
    return sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([WDHMS])", duration))


def is_on_calendar(text):
    try:
        datetime.datetime.fromisoformat(text)
        return True
    except ValueError:
        return not re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]+", text)


def is_expressible(value, schema, root):
    """False when a text has too many bytes, a duration is out of range, or a day on no calendar, somewhere in a value that fits its schema."""
    if "$ref" in schema:
        part = root
        for name in schema["$ref"].split("/")[1:]:
            part = part[name]
        return is_expressible(value, part, root)
    if "oneOf" in schema:
        return all(is_expressible(value, choice, root) for choice in schema["oneOf"])
    if isinstance(value, str):
        if len(value.encode("utf-8", "surrogatepass")) > schema.get("x-maxBytes", 1 << 30):
            return False
        if schema.get("format") in SECRETS and value not in SECRETS[schema["format"]]:
            return False
        if schema.get("format") == "date-time-local" and not is_on_calendar(value):
            return False
        if schema.get("format") == "time-zone" and value not in ZONES:
            return False
        if "x-maximumSeconds" in schema and re.fullmatch(r"P[\dWDTHMS]+", value):
            return schema["x-minimumSeconds"] <= seconds(value) <= schema["x-maximumSeconds"]
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return all(is_expressible(element, schema["items"], root) for element in value)
    if isinstance(value, dict):
        # A time of the day that ends when it begins.
        if "from" in value and str(value["from"])[:5] == str(value.get("to"))[:5]:
            return False
        known = schema.get("properties", {})
        return all(is_expressible(member, known[name], root) for name, member in value.items() if name in known)
    return True


def depth(value):
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(depth, parts), default=0)


@schemathesis.hook
def filter_query(context, query):
    """Cursors that only the server can make are not offered."""
    opaque = {item["name"] for item in context.operation.definition.raw.get("parameters", [])
              if item.get("schema", {}).get("x-opaque")}
    return not opaque & set(query or {})


def parameters(operation, case):
    """The texts outside the body, each with its schema."""
    root = operation.schema.raw_schema
    places = {"path": case.path_parameters, "query": case.query, "header": case.headers}
    for parameter in root["paths"][operation.path].get("parameters", []) + operation.definition.raw.get("parameters", []):
        if "$ref" in parameter:
            parameter = root["components"]["parameters"][parameter["$ref"].split("/")[-1]]
        value = (places[parameter["in"]] or {}).get(parameter["name"])
        if isinstance(value, str):
            yield urllib.parse.unquote(value) if parameter["in"] == "path" else value, parameter["schema"]


@schemathesis.hook
def filter_case(context, case):
    """The other two hooks see no request that stands at the edges of a schema; this one does."""
    # A file of lines is a text whatever is in it: on the wire, `false` is the line "false".
    if case.media_type == "text/csv" and not isinstance(case.body, (str, bytes)):
        return False
    if case.meta is None or case.meta.generation.mode.is_negative:
        return True
    return (filter_query(context, case.query) and filter_body(context, case.body)
            and all(is_expressible(value, schema, context.operation.schema.raw_schema)
                    for value, schema in parameters(context.operation, case)))


@schemathesis.hook
def filter_body(context, body):
    raw = context.operation.definition.raw
    schema = raw.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if schema is None or not isinstance(body, (dict, list)):
        return True
    # Nothing may be nested deeper than this.
    if depth(body) > 32:
        return False
    # U+0000 is refused in every text and name.
    return "\\u0000" not in json.dumps(body) and is_expressible(body, schema, context.operation.schema.raw_schema)


# Most made-up sends contradict themselves (both times, no content …) and are refused with 422. So that others get further,
# the contradictions are taken out of those that fit their schema.

DAY = datetime.timedelta(days=1)
NOW = datetime.datetime.now(datetime.timezone.utc)
SENDS = {"Send", "DeviceMessage"}


def fits(body, schema, root):
    reference = {"$ref": f"#/components/schemas/{schema}", "components": root["components"]}
    return jsonschema.Draft202012Validator(reference).is_valid(body)


def made_possible(send):
    send = dict(send)
    if "sendAt" in send:
        send.pop("localTime", None)
        send["sendAt"] = (NOW + 10 * DAY).isoformat(timespec="seconds")
    elif "localTime" in send:
        send["localTime"] = (NOW + 10 * DAY).strftime("%Y-%m-%dT%H:%M")
    if "repeat" in send:
        if "sendAt" in send or "localTime" in send:
            send["repeat"] = {**send["repeat"], "until": (NOW + 90 * DAY).date().isoformat()}
        else:
            del send["repeat"]
    if "window" in send:
        send["window"] = {**send["window"], "from": "08:00", "to": "21:00"}
    if "alert" not in send:
        send.pop("mutableContent", None)
        if "badge" not in send and not send.get("contentAvailable"):
            send["alert"] = "Hello"
    return send


@schemathesis.hook
def map_body(context, body):
    content = context.operation.definition.raw.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {}).get("$ref", "").split("/")[-1]
    if not schema or not isinstance(body, dict) or not fits(body, schema, context.operation.schema.raw_schema):
        return body
    # Nine of ten name the app that there is: what lies in a choice of schemas gets no values from the dictionaries.
    if "appId" in body and zlib.crc32(json.dumps(body, sort_keys=True).encode()) % 10 > 0:
        body = {**body, "appId": STAGE["appId"]}
    return made_possible(body) if schema in SENDS else body
