#!/usr/bin/env python3
"""Sends thousands of made-up requests to a running server and holds every answer against its own description.

Starts `upmc demo` (private PostgreSQL, simulator) in a directory of its own, makes what requests need to get through
(keys, devices, groups, messages), checks /openapi.json against the specification of OpenAPI, and lets schemathesis work
on each part of the API: all checks, good and bad data, and chains of calls along the links. Before that two generated
clients go a full circle (clients.py), and the handbook's programs run (guides.py).

    fuzz_api.py [--examples 2000] [--part Devices|chains|clients|guides] [--operation sendMessage] [--program PATH] [--seed 1]
                [--seconds 0] [--phases examples,fuzzing]

Ends with 0 when nothing was found. Needs the Python packages that `make fuzz-api` installs.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

# Nothing is left beside the sources.
sys.dont_write_bytecode = True

import clients
import guides

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent
APP = "com.example.fuzz"
# The part that is no tag of the document: calls one after another, along its links.
CHAINS = "chains"
CHAIN_SECONDS = 120
# These are no part of the document either.
PROGRAMS = ["clients", "guides"]
# Answered with 200 in an envelope, whatever was sent: there is nothing here that a status could be held against.
FORMS = "Apps built with the existing SDK"


class Stage:
    """A server and what is in it."""

    def __init__(self, program, directory):
        self.program = program
        self.directory = directory
        self.log = open(directory / "demo.log", "w+", encoding="utf-8")
        self.environment = {
            **os.environ,
            "UPMC_DATA_DIR": str(directory / "data"),
            "UPMC_LISTEN": "127.0.0.1:0",
            # So that files can be uploaded.
            "UPMC_PUBLIC_URL": "https://push.example.com",
            # So that the guides' receivers can be told events.
            "UPMC_WEBHOOK_PRIVATE": "127.0.0.0/8",
            "UPMC_MIGRATIONS_DIR": os.environ.get("UPMC_MIGRATIONS_DIR", str(TOP / "Migrations")),
        }
        self.process = subprocess.Popen(
            [program, "demo"], env=self.environment, stdout=self.log, stderr=subprocess.STDOUT, cwd=directory)
        self.url = self.wait_until_serving()

    def wait_until_serving(self):
        for _ in range(600):
            text = (self.directory / "demo.log").read_text(encoding="utf-8")
            found = re.search(r"Serving on (\S+)", text)
            if found and "Client key" in text:
                return found.group(1)
            if self.process.poll() is not None:
                break
            time.sleep(0.2)
        sys.exit("The server did not start:\n" + (self.directory / "demo.log").read_text(encoding="utf-8"))

    def upmc(self, *arguments):
        """A command beside the running server; its answer."""
        result = subprocess.run(
            [self.program, *arguments, "--json"], env=self.environment, capture_output=True, text=True, check=True)
        return json.loads(result.stdout.splitlines()[-1])

    def call(self, method, path, bearer, body=None):
        request = urllib.request.Request(
            self.url + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {bearer}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or b"null")

    def fill(self):
        """An app with keys, devices, groups and messages in several states."""
        client_key = self.upmc("app", "create", APP, "--name", "Fuzz", "--identity", "open")["clientKey"]
        # The key that the simulator trusts: without a credential the app would be held back at its first message.
        self.upmc("app", "credential", APP, "--apns-key", str(self.directory / "data" / "demo-AuthKey.p8"),
                  "--key-id", "SIMKEY0001", "--team-id", "SIMULATOR1")
        api_key = self.upmc("key", "create", "--role", "admin")["apiKey"]
        # Without it devices may send nothing, and most of the calls of a device that sends would end there.
        self.call("PATCH", f"/v1/admin/apps/{APP}", api_key, {"deviceSends": 1000})
        auth_keys, psids = {}, []
        for number in range(20):
            psids.append(f"{number:02x}" * 32)
            device = self.call("POST", "/v1/devices", client_key, {
                "appId": APP, "psid": psids[-1], "deviceId": f"device-{number}", "clientUid": f"user{number // 2}"})
            auth_keys[device["device"]] = device["authKey"]
        groups = [
            self.call("POST", "/v1/admin/groups", api_key, {"appId": APP, "name": f"group {number}"})["groupSeq"]
            for number in range(5)]
        messages = []
        for more in ({}, {"pace": {"devices": 1, "wait": "PT1H"}}, {"pace": {"devices": 1, "wait": "PT1H"}},
                     {"localTime": time.strftime("%Y-%m-%dT%H:%M", time.gmtime(time.time() + 30 * 86400))}):
            messages.append(self.call("POST", "/v1/admin/messages", api_key, {
                "appId": APP, "audience": {"all": True}, "alert": "Hello", **more})["seqno"])
        return {
            "appId": APP, "apiKey": api_key, "clientKey": client_key, "authKeys": auth_keys, "psids": psids, "groups": groups,
            "messages": messages, "apnsKey": (self.directory / "data" / "demo-AuthKey.p8").read_text(encoding="utf-8"),
        }

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


def configuration(stage, examples):
    """Values that exist are offered often, so that most requests get past the first refusal."""
    def values(name, entries):
        return f"[dictionaries.{name}]\nvalues = {json.dumps(list(entries))}\n"

    bindings = {
        "path.device": ("devices", 0.8), "path.groupSeq": ("groups", 0.7), "path.seqno": ("messages", 0.8),
        "path.appId": ("apps", 0.8), "query.appId": ("apps", 0.8), "body.appId": ("apps", 0.9),
    }
    lines = [
        values("devices", stage["authKeys"]), values("groups", stage["groups"]), values("messages", stage["messages"]),
        values("apps", [APP]), "[parameters]"]
    lines += [
        f'"{name}" = {{ dictionary = "{dictionary}", probability = {probability} }}'
        for name, (dictionary, probability) in bindings.items()]
    lines += [
        "[generation]", f"max-examples = {examples}", "mode = \"all\"",
        # 422: well-formed but impossible, such as a time in the past; no schema can tell.
        # Its guesses take the deviceId that an app chooses for our device; the document has links that are right.
        "[phases.stateful.inference]", "algorithms = []",
        "[checks.positive_data_acceptance]",
        'expected-statuses = ["2xx", "401", "403", "404", "409", "422", "429", "503"]',
        # What a file is, its bytes say; to most made-up bytes the answer is rightly that it cannot be shown.
        "[[operations]]", 'include-operation-id = "upload"', "[operations.checks.positive_data_acceptance]",
        'expected-statuses = ["2xx", "401", "403", "404", "409", "415", "422", "429", "503"]',
    ]
    return "\n".join(lines) + "\n"


def run(part, stage, directory, options):
    """One run of schemathesis. True when it found nothing."""
    tools = pathlib.Path(sys.executable).parent
    phases = ["--phases", "stateful" if part == CHAINS else options.phases]
    # Chains end when each link was followed; with a time they go on to others.
    seconds = options.seconds or (CHAIN_SECONDS if part == CHAINS else 0)
    limit = ["--max-time", str(seconds)] if seconds else []
    only = [word for operation in options.operation or [] for word in ("--include-operation-id", operation)]
    if part != CHAINS and not only:
        only = ["--include-tag", part]
    name = part.split()[0].lower()
    command = [
        tools / "schemathesis", "--config-file", directory / "schemathesis.toml", "run", stage.url + "/openapi.json",
        # Its answer goes on and on, whoever asks.
        "--exclude-operation-id", "watchOverview", *only, *phases, *limit, "--checks", "all", "--continue-on-failure",
        "--seed", str(options.seed), "--no-color",
        "--report", "json", "--report-json-path", directory / f"{name}.json", "--suppress-health-check", "all"]
    environment = {
        **os.environ, "SCHEMATHESIS_HOOKS": str(HERE / "hooks.py"), "UPMC_FUZZ_STAGE": str(directory / "stage.json")}
    found_nothing = subprocess.run(command, cwd=directory, env=environment).returncode == 0
    answers = json.loads((directory / "stage.json.answers").read_text(encoding="utf-8"))
    for name, counts in sorted(answers.items()):
        print(f"  {name:20} " + "  ".join(f"{status}: {count}" for status, count in sorted(counts.items())))
    total = sum(sum(counts.values()) for counts in answers.values())
    print(f"  {part}: {total} requests answered")
    return found_nothing


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=2000, help="of each part of the API, at least")
    parser.add_argument("--part", action="append", help="only this part: a tag of the document, chains, clients or guides; may be repeated")
    parser.add_argument("--operation", action="append", help="of the part only this operationId; may be repeated")
    parser.add_argument("--program", default=str(TOP / ".build/release/upmc"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=0, help="of each part, at most; 0 for no limit (chains: two minutes)")
    parser.add_argument("--phases", default="examples,coverage,fuzzing",
                        help="of each part but the chains; coverage goes through every corner of a schema, for hours where "
                             "schemas contain themselves, as those of segments do")
    parser.add_argument("--keep", action="store_true", help="keep the reports and the server's data")
    options = parser.parse_args()

    directory = pathlib.Path(tempfile.mkdtemp(prefix="upmc-fuzz-"))
    # Run by root, PostgreSQL works as another user, who must be able to come here.
    directory.chmod(0o755)
    stage = Stage(os.path.abspath(options.program), directory)
    failed = []
    try:
        filled = stage.fill()
        (directory / "stage.json").write_text(json.dumps(filled), encoding="utf-8")
        with urllib.request.urlopen(stage.url + "/openapi.json") as response:
            document = json.loads(response.read())
        (directory / "openapi.json").write_text(json.dumps(document), encoding="utf-8")
        validator = pathlib.Path(sys.executable).parent / "openapi-spec-validator"
        subprocess.run([validator, directory / "openapi.json"], check=True)

        operations = [item for path in document["paths"].values() for item in path.values() if isinstance(item, dict)]
        parts = options.part or PROGRAMS + [tag["name"] for tag in document["tags"] if tag["name"] != FORMS] + [CHAINS]
        for part in parts:
            if part in PROGRAMS:
                print(f"\n=== {part}", flush=True)
                known = [f"--server={stage.url}", f"--client-key={filled['clientKey']}", f"--api-key={filled['apiKey']}", f"--app={APP}"]
                if part == "guides":
                    guides.main(known)
                else:
                    simulator = (directory / "data/demo-simulator-url").read_text(encoding="utf-8").strip()
                    clients.main([*known, f"--simulator={simulator}", f"--directory={directory / 'clients'}"])
                continue
            selected = operations if part == CHAINS else [item for item in operations if part in item["tags"]]
            # Those that this server calls, and nobody calls here.
            if not selected:
                continue
            # Twice its share: an operation with few parameters runs out of different requests early.
            examples = options.examples if part == CHAINS else 2 * -(-options.examples // len(selected))
            (directory / "schemathesis.toml").write_text(configuration(filled, examples), encoding="utf-8")
            print(f"\n=== {part}: {len(selected)} operations, {examples} examples{'' if part == CHAINS else ' each'}", flush=True)
            if not run(part, stage, directory, options):
                failed.append(part)
    finally:
        stage.stop()
        if options.keep:
            print(f"Kept: {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    if failed:
        sys.exit(f"Found something in: {', '.join(failed)}")
    print("Nothing was found.")


if __name__ == "__main__":
    main()
