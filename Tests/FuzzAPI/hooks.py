"""What schemathesis must be told about UPMC: whose credential a call needs, and the few rules that JSON Schema cannot
express. It is loaded with SCHEMATHESIS_HOOKS; the stage comes from fuzz_api.py in a file of JSON."""

import datetime
import json
import os
import re

import schemathesis

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


@schemathesis.hook
def after_call(context, case, response):
    """Learns the keys of devices that were registered on the way."""
    if case.operation.definition.raw.get("operationId") == "registerDevice" and response.status_code in (200, 201):
        answer = json.loads(response.content)
        AUTH_KEYS[answer["device"]] = answer["authKey"]


# What JSON Schema has no words for. A request that breaks one of these is refused with 400 although its schema is met,
# so it is not offered as a good one.

UNITS = {"W": 604800, "D": 86400, "H": 3600, "M": 60, "S": 1}


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
        if schema.get("format") == "date-time-local" and not is_on_calendar(value):
            return False
        if "x-maximumSeconds" in schema and re.fullmatch(r"P[\dWDTHMS]+", value):
            return schema["x-minimumSeconds"] <= seconds(value) <= schema["x-maximumSeconds"]
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return all(is_expressible(element, schema["items"], root) for element in value)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        return all(is_expressible(member, known[name], root) for name, member in value.items() if name in known)
    return True


@schemathesis.hook
def filter_body(context, body):
    raw = context.operation.definition.raw
    schema = raw.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if schema is None or not isinstance(body, (dict, list)):
        return True
    # U+0000 is refused in every text and name.
    return "\\u0000" not in json.dumps(body) and is_expressible(body, schema, context.operation.schema.raw_schema)
