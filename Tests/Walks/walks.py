#!/usr/bin/env python3
"""Counts what somebody has to read who follows a call through the server: `make walks`.

A call is made again and again at a server that counts how often each of its functions runs. A function that ran as often as
the call was made, and does not without it, lies on the call's way.

  receipt    POST /v1/receipts, from the socket to the answer
  read       POST /v1/reads with `keep`
  direct     POST /v1/admin/messages to a named user, from the socket to the push and its outcome
  campaign   the same to everybody, planned and claimed

Calls are made as the client libraries make them: on one connection that stays open, head and body sent together, the
body without white space, a confirmation's members in the libraries' order and with `at`. Other forms take other ways:
the general JSON reader takes a body with a blank in it.

There are few devices, so the campaign is too small for blocks: its deliveries are rows, like those of a direct send.
The receipts and reads belong to direct sends, so their deliveries are looked up. A receipt of a campaign with blocks,
whose `pushkey` says where its delivery is, takes a shorter way.

There are two figures for each call.

  ran        The files of all functions on the way, their modules and lines.
  to read    The files among these whose code a person has to read to follow the path. The technologies' own steps count
             (the event loop, the HTTP connection, the database session). These do not:
             - Files in which every function on the way has a body of one line. An accessor, an initializer or a
               constant is understood where it is used.
             - The modules of `ASIDE`, in which nobody follows a call: points in time, text, digests, metrics, traces. A
               call to them returns what its name says.
             - Files that only watch or bound the way, by their names (`WATCHING`): meters, logs, spans, limits.
             A separate figure says how many of them belong to technologies (`TECHNOLOGIES`), the same for every call.

`--files` lists the files of the first figure; a dash marks those that the second one leaves out.
"""

import argparse
import atexit
import datetime
import http.client
import json
import os
import re
import select
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections import defaultdict

CALLS = 40
# A call that shared its work with the one before still counts; what a clock does now and then does not.
SHARE = 0.8
APP = "com.example.walk"
DEVICES = 3
# The modules of technologies: what they do is the same for every call.
TECHNOLOGIES = {"Reactor", "HTTPServer", "HTTPClient", "HTTP2", "TLS", "Postgres", "JSON", "Gzip"}
# Modules from which a call only reads a value, or to which it only reports a number.
ASIDE = {"Time", "PlainText", "Crypto", "Metrics", "Tracing", "OTLP"}
WATCHING = re.compile(r"(Meter|Metric|Metrics|Counters|Tracer|Spans|Log|Limits|LastSuccess)\.swift$")
# A body of one statement: its braces may have lines of their own.
SHORT_BODY = 3


def token(number):
    return f"{number:064x}"


def source_of(program):
    """The tree that a program was built from."""
    path = os.path.abspath(program)
    while not os.path.isdir(os.path.join(path, "Migrations")):
        if path == "/":
            raise SystemExit(f"{program} lies in no source tree")
        path = os.path.dirname(path)
    return path


def tool(name):
    """Of the compiler's own version: another one does not read its profiles."""
    beside = os.path.join(os.path.dirname(os.path.realpath(shutil.which("swift") or name)), name)
    return beside if os.path.exists(beside) else name


class Program:
    """A process, and what it has said so far."""

    def __init__(self, arguments, **environment):
        self.process = subprocess.Popen(arguments, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT)
        self.said = ""
        # Also where something goes wrong before anybody stops it.
        atexit.register(self.process.terminate)

    def hear(self, pattern, seconds=60):
        """What the group of `pattern` is in the output, as soon as it stands there."""
        end = time.monotonic() + seconds
        while not (found := re.search(pattern, self.said)):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise SystemExit(f"{self.process.args[0]} did not say {pattern}:\n{self.said}")
            more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                raise SystemExit(f"{self.process.args[0]} ended:\n{self.said}")
            self.said += more.decode(errors="replace")
        return found.group(1)

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


class World:
    """The server under measurement with a private database, and a simulator in Apple's place."""

    def __init__(self, program, simulator, profile):
        self.home = tempfile.TemporaryDirectory(prefix="upmc-walk")
        # PostgreSQL runs as a user of its own.
        os.chmod(self.home.name, 0o755)
        authority, key = (os.path.join(self.home.name, name) for name in ("ca.pem", "key.p8"))
        self.simulator = Program([simulator, "--listen", "127.0.0.1:0", "--ca-file", authority, "--key-file", key,
                                  "--keep-payloads"])
        production = self.simulator.hear(r"APNs production\s+(\S+)")
        self.control = self.simulator.hear(r"control\s+(\S+)")
        self.environment = {
            "UPMC_DATA_DIR": os.path.join(self.home.name, "data"), "UPMC_LISTEN": "127.0.0.1:0",
            "UPMC_MIGRATIONS_DIR": os.path.join(source_of(program), "Migrations"), "UPMC_CA_FILE": authority, "UPMC_APNS_PRODUCTION_URL": production, "LLVM_PROFILE_FILE": os.devnull}
        self.program = program
        self.server = Program([program, "serve"], **{**self.environment, "LLVM_PROFILE_FILE": profile})
        host, port = self.server.hear(r"(?:address=|serving \D*)(127\.0\.0\.1:\d+)").split(":")
        self.address, self.connection = (host, int(port)), None
        self.prepare(key)

    def command(self, *arguments):
        done = subprocess.run([self.program, *arguments], env={**os.environ, **self.environment}, check=True,
                              capture_output=True, text=True)
        return done.stdout

    def prepare(self, key):
        identity = ["--identity", "open"] if "--identity" in self.command("app", "create", "--help") else []
        made = json.loads(self.command("app", "create", APP, "--name", "Walk", "--json", *identity))
        client_key = made.get("clientKey") or json.loads(self.command("app", "list", "--json"))["clientKey"]
        self.command("app", "credential", APP, "--apns-key", key, "--key-id", "SIMKEY0001", "--team-id", "SIMULATOR1")
        self.api_key = json.loads(self.command("key", "create", "--role", "admin", "--json"))["apiKey"]
        for number in range(DEVICES):
            self.call("POST", "/v1/devices", {
                "appId": APP, "pnsId": "APNS", "environment": "production", "psid": token(number),
                "deviceId": f"device-{number}", "clientUid": f"user{number}"}, client_key)
        # What a receipt or read is for. Afterwards everything has been opened that is opened once.
        self.messages = [self.send({"clientUids": ["user0"]}) for _ in range(CALLS)]
        self.send({"all": True})

    def call(self, method, path, body, bearer=None, patience=20):
        # A client key that was made a moment ago, a server that is still starting.
        end = time.monotonic() + patience
        while True:
            status, answer = self.exchange(method, path, json.dumps(body, separators=(",", ":")).encode(), bearer)
            if 200 <= status < 300:
                return json.loads(answer)
            if status not in (401, 503) or time.monotonic() > end:
                raise SystemExit(f"{method} {path}: {status} {answer.decode()}")
            time.sleep(0.2)

    def exchange(self, method, path, body, bearer):
        """The status and body of an answer, on a connection that is kept."""
        if self.connection is None:
            self.connection = socket.create_connection(self.address, timeout=30)
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        head = [f"{method} {path} HTTP/1.1", "Host: {}:{}".format(*self.address), "Content-Type: application/json",
                f"Content-Length: {len(body)}", *([f"Authorization: Bearer {bearer}"] if bearer else [])]
        # `http.client` would send head and body separately.
        self.connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
        response = http.client.HTTPResponse(self.connection, method=method)
        response.begin()
        answer = response.read()
        if response.will_close:
            self.connection.close()
            self.connection = None
        return response.status, answer

    def send(self, audience):
        """Sends a message, and waits until it has ended."""
        seqno = self.call("POST", "/v1/admin/messages", {
            "appId": APP, "audience": audience, "alert": "Hello", "badge": {"increment": 1}}, self.api_key)["seqno"]
        path = f"/deliveries?token={token(0)}"
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with urllib.request.urlopen(self.control + path) as answer:
                for delivery in reversed(json.load(answer)["deliveries"]):
                    mps = json.loads(delivery.get("payload", "{}")).get("mps", {})
                    if str(mps.get("seqno")) == str(seqno):
                        return seqno, mps["pushkey"]
            time.sleep(0.05)
        raise SystemExit(f"message {seqno} did not arrive")

    def walk(self, name):
        for seqno, pushkey in self.messages:
            now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds")
            item = {"seqno": str(seqno), "psid": token(0), "pushkey": pushkey, "at": now.replace("+00:00", "Z")}
            if name == "receipt":
                self.call("POST", "/v1/receipts", {"receipts": [item]})
            elif name == "read":
                self.call("POST", "/v1/reads", {"reads": [{**item, "badgeOption": "keep"}]})
            elif name == "direct":
                self.send({"clientUids": ["user0"]})
            elif name == "campaign":
                self.send({"all": True})

    def end(self):
        # Its outcomes are written, and nothing waits any more.
        time.sleep(2)
        self.server.stop()
        self.simulator.stop()
        self.home.cleanup()


def counts(program, simulator, name, directory):
    """How often each function ran, and how many lines its body has, by (file, function)."""
    raw = os.path.join(directory, f"{name}.profraw")
    world = World(program, simulator, raw)
    if name != "nothing":
        world.walk(name)
    world.end()
    merged = raw + ".merged"
    subprocess.run([tool("llvm-profdata"), "merge", "-o", merged, raw], check=True)
    exported = subprocess.run([tool("llvm-cov"), "export", "-skip-expansions", "-instr-profile", merged, program], check=True,
                              capture_output=True)
    found = defaultdict(int)
    bodies = {}
    for function in json.loads(exported.stdout)["data"][0]["functions"]:
        path = function["filenames"][0]
        if "/Sources/" in path and "/.build/" not in path.split("/Sources/")[0] + "/":
            found[path, function["name"]] += function["count"]
            lines = [line for region in function["regions"] for line in (region[0], region[2])]
            bodies[path, function["name"]] = max(lines, default=0) - min(lines, default=0) + 1
    return found, bodies


def module(path):
    return path.split("/Sources/")[1].split("/")[0]


def is_read(path, bodies):
    """Whether one has to read a file to follow the path; `bodies` are the lines of its functions on the way."""
    return max(bodies) > SHORT_BODY and module(path) not in ASIDE and not WATCHING.search(path)


def sums(lines):
    """A figure: files, modules, lines, and the longest file's."""
    return (f"{len(lines):>7}{len({module(path) for path in lines}):>9}{sum(lines.values()):>7}"
            f"{max(lines.values(), default=0):>9}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="upmc, built with -profile-generate and -profile-coverage-mapping")
    parser.add_argument("simulator", help="upmc-simulator, built as usual")
    parser.add_argument("--files", action="store_true", help="name the files, too")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="upmc-walks") as directory:
        without, _ = counts(arguments.program, arguments.simulator, "nothing", directory)
        titles = f"{'files':>7}{'modules':>9}{'lines':>7}{'longest':>9}"
        print(f"{'':10}{'ran':>17}{'':>25}{'to read':>9}")
        print(f"{'call':10}{'functions':>10}{titles}  {titles}{'of technologies':>17}")
        for name in ("receipt", "read", "direct", "campaign"):
            run, sizes = counts(arguments.program, arguments.simulator, name, directory)
            on_way = [key for key, count in run.items() if count - without.get(key, 0) >= SHARE * CALLS]
            bodies = defaultdict(list)
            for path, function in on_way:
                bodies[path].append(sizes[path, function])
            lines = {path: sum(1 for _ in open(path, encoding="utf-8")) for path in sorted(bodies)}
            read = {path: count for path, count in lines.items() if is_read(path, bodies[path])}
            technologies = sum(1 for path in read if module(path) in TECHNOLOGIES)
            print(f"{name:10}{len(on_way):>10}{sums(lines)}  {sums(read)}{technologies:>17}", flush=True)
            if arguments.files:
                for path in lines:
                    print(f"  {' ' if path in read else '-'} {lines[path]:>4} {path.split('/Sources/')[1]}")


if __name__ == "__main__":
    main()
