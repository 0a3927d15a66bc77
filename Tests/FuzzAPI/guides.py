#!/usr/bin/env python3
"""Runs the handbook's programs for back ends as they stand there, against a running server.

    guides.py --server http://127.0.0.1:8080 --client-key … --api-key … --app com.example.bank [python] [node] [java]

Each sends a code through a proxy that loses the first answers, so that it has to ask again: one message must come of it. Then
it takes the webhook of that message, and refuses one that is forged and one that is old. The server must allow webhooks to
127.0.0.1 (UPMC_WEBHOOK_PRIVATE).
"""

import argparse
import base64
import hashlib
import hmac
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

PROGRAMS = pathlib.Path(__file__).resolve().parent.parent.parent / "Public/docs/programs"
COMMANDS = {
    "python": ["python3", "-B", str(PROGRAMS / "backend.py")],
    "node": ["node", str(PROGRAMS / "backend.mjs")],
    "java": ["java", str(PROGRAMS / "Backend.java")],
}
# Where each gives up a request that has had no answer for five seconds.
TIMEOUTS = {"python": "timeout=5)", "node": "AbortSignal.timeout(5000)", "java": ".ofSeconds(5)"}
# Long enough for a busy machine.
SECONDS = 300
SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()


def expect(truth, *what):
    if not truth:
        sys.exit(" ".join(map(str, what)))


def until(what, body):
    deadline = time.monotonic() + SECONDS
    while True:
        value = body()
        if value:
            return value
        if time.monotonic() > deadline:
            sys.exit(what)
        time.sleep(0.05)


def call(options, method, path, body=None, key=None):
    request = urllib.request.Request(
        options.server + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key or options.api_key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read() or b"null")


class LossyProxy(http.server.ThreadingHTTPServer):
    """In front of the server: says once that there is too much, and loses the answer after that, though it passes the
    request on. From then on it works."""

    def __init__(self, server):
        super().__init__(("127.0.0.1", 0), Way)
        self.server_url = server
        self.keys = []
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Way(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.keys.append(self.headers["Idempotency-Key"])
        number = len(self.server.keys)
        if number == 1:
            return self.answer(429, b'{"type":"upmc:too-many-requests","detail":"Too much."}', [("Retry-After", "1")])
        request = urllib.request.Request(self.server.server_url + self.path, data=body, method="POST", headers={
            name: self.headers[name] for name in ("Authorization", "Content-Type", "Idempotency-Key")})
        try:
            with urllib.request.urlopen(request) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, error.read()
        if number == 2:
            self.close_connection = True
            return self.connection.close()
        self.answer(status, body)

    def answer(self, status, body, headers=()):
        self.send_response(status)
        for name, value in (*headers, ("Content-Type", "application/json"), ("Content-Length", str(len(body)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def posted(port, body, secret, at):
    """What the receiver answers to an event."""
    mac = hmac.new(base64.b64decode(secret.removeprefix("whsec_")), f"e1.{at}.".encode() + body, hashlib.sha256)
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", data=body, method="POST", headers={
        "webhook-id": "e1", "webhook-timestamp": str(at), "Content-Type": "application/json",
        "webhook-signature": "v1,AAAA v1," + base64.b64encode(mac.digest()).decode()})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def patient(name, directory):
    """Makes a copy of a program that waits for an answer as long as tests wait. Returns the command that runs it."""
    *command, program = COMMANDS[name]
    program, timeout = pathlib.Path(program), TIMEOUTS[name]
    text = program.read_text(encoding="utf-8")
    expect(timeout in text, name, "has no", timeout)
    copy = directory / program.name
    copy.write_text(text.replace(timeout, timeout.replace("5", str(SECONDS))), encoding="utf-8")
    return [*command, str(copy)]


def run(name, options, directory):
    command = COMMANDS[name]
    user = f"guide-{name}"
    call(options, "POST", "/v1/devices", {
        "appId": options.app, "psid": f"{list(COMMANDS).index(name) + 0xa0:02x}" * 32, "deviceId": user, "clientUid": user},
        options.client_key)
    webhook = call(options, "POST", "/v1/admin/webhooks", {
        "appId": options.app, "url": "http://127.0.0.1:9/", "kinds": ["message.finished"]})
    number = webhook["webhookId"]
    log = directory / f"{name}.log"
    environment = {**os.environ, "PUSH_APP_ID": options.app, "PUSH_WEBHOOK_SECRET": webhook["secret"]}
    with open(log, "w", encoding="utf-8") as file:
        receiver = subprocess.Popen([*command, "listen", "0"], env=environment, stdout=file, stderr=subprocess.STDOUT)
    try:
        def said(pattern):
            expect(receiver.poll() is None, name, "ended:", log.read_text(encoding="utf-8"))
            return re.search(pattern, log.read_text(encoding="utf-8"))
        port = until(f"{name} does not listen", lambda: said(r"listening on (\d+)")).group(1)
        call(options, "PATCH", f"/v1/admin/webhooks/{number}", {"url": f"http://127.0.0.1:{port}/"})

        body = b'{"id":"e1","kind":"forged","data":{}}'
        now = int(time.time())
        expect(posted(port, body, SECRET, now) == 401, name, "takes what is signed with another secret")
        expect(posted(port, body, webhook["secret"], now - 600) == 401, name, "takes what is old")
        expect("forged" not in log.read_text(encoding="utf-8"), name, "believed it")
        expect(posted(port, body.replace(b"forged", b"signed"), webhook["secret"], now) == 204, name, "refuses a good one")

        proxy = LossyProxy(options.server)
        environment.update(PUSH_SERVER=f"http://127.0.0.1:{proxy.server_port}", PUSH_API_KEY=options.api_key)
        sent = subprocess.run([*command, "send", user, '12"34'], env=environment, capture_output=True, text=True, timeout=SECONDS)
        expect(sent.returncode == 0, name, sent.stderr)
        seqno = sent.stdout.strip()
        expect(len(proxy.keys) >= 3 and len(set(proxy.keys)) == 1, name, "did not repeat with one key:", proxy.keys)
        history = call(options, "GET", f"/v1/admin/users/{user}/messages?appId={options.app}")["items"]
        expect([one["seqno"] for one in history] == [seqno], name, "sent", history)
        until(f"{name} was not told", lambda: said(rf'message\.finished .*"seqno" ?: ?"{seqno}"'))

        # A refusal is final. Programs also ask again where no answer came in time, for which this copy waits longer.
        requests = len(proxy.keys)
        environment["PUSH_API_KEY"] = "wrong"
        refused = subprocess.run(
            [*patient(name, directory), "send", user, "1"], env=environment, capture_output=True, text=True,
            timeout=SECONDS)
        expect(refused.returncode != 0 and "upmc:" in refused.stderr, name, "was not refused:", refused.stderr)
        refusals = [key for key in proxy.keys if key != proxy.keys[0]]
        expect(len(refusals) == 1, name, "repeated what was refused for good:", refusals)
        proxy.shutdown()
        print(f"{name}: sent message {seqno} in {requests} requests with one key; took its webhook, refused two",
              flush=True)
    finally:
        receiver.terminate()
        receiver.wait(timeout=SECONDS)
        call(options, "DELETE", f"/v1/admin/webhooks/{number}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("server", "client-key", "api-key", "app"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("languages", nargs="*", help=f"of {', '.join(COMMANDS)}; all, if none is named")
    options = parser.parse_args(arguments)
    # Not by `choices`: of a list that may be empty, releases of Python disagree what must be one of them.
    for name in options.languages:
        if name not in COMMANDS:
            parser.error(f"{name} is none of {', '.join(COMMANDS)}")
    with tempfile.TemporaryDirectory(prefix="upmc-guides-") as directory:
        for name in options.languages or COMMANDS:
            run(name, options, pathlib.Path(directory))


if __name__ == "__main__":
    main()
