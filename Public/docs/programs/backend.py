#!/usr/bin/env python3
"""A back end that sends a one-time code with UPMC and takes its webhooks. Python 3.9, nothing else.

    PUSH_APP_ID=com.example.bank PUSH_API_KEY=… PUSH_SERVER=https://push.example.com backend.py send kim01 123456
    PUSH_WEBHOOK_SECRET=whsec_… backend.py listen 8090
"""

import base64
import hashlib
import hmac
import http.server
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

# A code that comes later than this is of no use.
SECONDS = 60


def send(person, code):
    """Sends a code. Returns the message's number; raises when it was refused, or when the time is up."""
    body = json.dumps({
        "appId": os.environ["PUSH_APP_ID"],
        "audience": {"clientUids": [person]},
        "alert": {"title": "Your code", "body": f"{code} is your code. Never tell it to anyone."},
        "lane": "urgent",
        "expiresIn": f"PT{SECONDS}S",
    }).encode()
    # One key for one code: however often the request is made, one push is sent. Keep it with the transaction.
    key = str(uuid.uuid4())
    deadline = time.monotonic() + SECONDS
    pause = 0.2
    while True:
        try:
            return post("/v1/admin/messages", body, key)["seqno"]
        except urllib.error.HTTPError as error:
            answer = error.read()
            # Too much at once, or the server cannot at the moment. All else stays wrong when it is asked again.
            if error.code != 429 and error.code < 500:
                raise RuntimeError(f"{error.code}: {refusal(answer)}") from None
            wait = float(error.headers.get("Retry-After") or 0)
            reason = f"{error.code}: {refusal(answer)}"
        except OSError as error:  # No connection, or none that lasted: perhaps it was sent. The key makes that harmless.
            wait, reason = 0, str(error)
        wait = max(wait, pause * random.uniform(0.5, 1))
        if time.monotonic() + wait > deadline:
            raise RuntimeError(f"not sent within {SECONDS} s: {reason}")
        time.sleep(wait)
        pause = min(pause * 2, 5)


def post(path, body, key):
    request = urllib.request.Request(os.environ["PUSH_SERVER"] + path, data=body, method="POST", headers={
        "Authorization": "Bearer " + os.environ["PUSH_API_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    })
    with urllib.request.urlopen(request, timeout=5) as answer:
        return json.load(answer)


def refusal(answer):
    """What a problem says (RFC 9457), for people. Programs branch on its `type`."""
    try:
        problem = json.loads(answer)
        return f"{problem['type']}: {problem['detail']}"
    except (ValueError, KeyError):
        return "no problem that could be read"


def is_genuine(headers, body, secret):
    """Whether UPMC has signed the request, and lately (standardwebhooks.com)."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    event, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    mac = hmac.new(key, f"{event}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = "v1," + base64.b64encode(mac).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(wanted.encode(), one.encode()) for one in given)


class Receiver(http.server.BaseHTTPRequestHandler):
    # Events may come twice. Keep the ids of a day where all your servers see them.
    known = set()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not is_genuine(self.headers, body, os.environ["PUSH_WEBHOOK_SECRET"]):
            return self.answer(401)
        event = json.loads(body)
        if event["id"] not in self.known:
            # What takes longer than ten seconds, do after the answer.
            print(event["kind"], json.dumps(event["data"], ensure_ascii=False), flush=True)
            self.known.add(event["id"])
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    if sys.argv[1:2] == ["send"] and len(sys.argv) == 4:
        print(send(sys.argv[2], sys.argv[3]))
    elif sys.argv[1:2] == ["listen"] and len(sys.argv) == 3:
        server = http.server.ThreadingHTTPServer(("", int(sys.argv[2])), Receiver)
        print("listening on", server.server_port, flush=True)
        server.serve_forever()
    else:
        sys.exit(__doc__)
