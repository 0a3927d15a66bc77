#!/usr/bin/env python3
"""docker-compose.yml for real: brought up on a local engine, the README's walk with curl against it, and down again.

    Tests/Deployment/base-images.sh          where no registry of images can be reached
    python3 Tests/Deployment/evaluation.py [--build]

Not part of `make test`: it needs an engine (DOCKER_HOST says which), and building the images takes minutes.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

from engine import ROOT, Project, address, check, docker, finish, get, health, image_size, memory, poll, run

ROUTE = "http://127.0.0.1:8080"


def walk():
    """The lines of the README's walk, as a newcomer pastes them."""
    text = open(ROOT + "/README.md").read()
    section = text.split("\n## A walk through it with curl\n")[1].split("\n## ")[0]
    return "\n".join(re.findall(r"```sh\n(.*?)```", section, re.S))


def stage(directory, upmc, simulator):
    """A directory in which the walk's commands mean the containers."""
    os.makedirs(directory + "/.build/debug")
    os.makedirs(directory + "/.upmc")
    with open(directory + "/.build/debug/upmc", "w") as program:
        # The key of the walk lies elsewhere in the container.
        program.write("#!/bin/bash\n"
                      f'exec docker exec {upmc} upmc "${{@/.upmc\\/demo-AuthKey.p8//trust/AuthKey.p8}}"\n')
    os.chmod(directory + "/.build/debug/upmc", 0o755)
    with open(directory + "/.upmc/demo-simulator-url", "w") as url:
        url.write(f"http://{address(simulator)}:8081")


def check_console(project):
    log = project("logs", "--no-color", "upmc")
    check("no log shows the first sign-in link, but how to get another", "sign-in=" not in log
          and "docker compose exec upmc upmc account link 1" in log, log)
    file = project("exec", "-T", "upmc", "cat", "/var/lib/upmc/first-sign-in")
    links = re.findall(r"(https?://\S+/)#sign-in=([A-Za-z0-9_-]+)", file)
    check("the file holds one link for the first sign-in", len(links) == 1, file)
    if not links:
        return
    page = urllib.request.urlopen(links[0][0], timeout=5)
    check("the link leads to the console", page.status == 200 and b"<script" in page.read())

    def sign_in():
        request = urllib.request.Request(ROUTE + "/v1/admin/session", json.dumps({"link": links[0][1]}).encode(),
                                         {"Content-Type": "application/json"})
        return urllib.request.urlopen(request, timeout=5)

    session = sign_in()
    said = json.load(session)
    check("it signs in as an administrator who needs a password",
          session.status == 201 and said.get("needsPassword") is True, said)
    asked = urllib.request.Request(ROUTE + "/v1/admin/session",
                                   headers={"Cookie": session.headers["Set-Cookie"].split(";")[0]})
    check("its cookie opens the API", json.load(urllib.request.urlopen(asked, timeout=5)).get("role") == "admin")
    try:
        check("the link works once only", False, sign_in().status)
    except urllib.error.HTTPError as error:
        check("the link works once only", error.code in (401, 403), error.code)


def main():
    project = Project("upmc-evaluation", [ROOT + "/docker-compose.yml"], {})
    try:
        if "--build" in sys.argv:
            project("build")
        begin = time.monotonic()
        project("up", "-d", "--no-build")
        took = {"compose up returned after": time.monotonic() - begin}
        [upmc], [simulator] = project.containers("upmc"), project.containers("simulator")
        poll("the server does not answer", lambda: get(ROUTE + "/health"))
        took["server answered after"] = time.monotonic() - begin
        poll("the server is not healthy", lambda: health(upmc) == "healthy")
        took["engine calls it healthy after"] = time.monotonic() - begin
        check_console(project)

        with tempfile.TemporaryDirectory() as directory:
            stage(directory, upmc, simulator)
            walked = time.monotonic()
            verdict = ('echo "--- verdict"; curl -s $URL/v1/admin/messages/$SEQNO -H "Authorization: Bearer $API_KEY"; '
                       'echo; curl -s $(cat .upmc/demo-simulator-url)/counters\n')
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", walk() + verdict], cwd=directory,
                                  capture_output=True, text=True)
            again = subprocess.run(["bash", "-euo", "pipefail", "-c", walk()], cwd=directory, capture_output=True, text=True)
            took["the walk took"] = time.monotonic() - walked
        check("the walk of the README runs to its end", done.returncode == 0, done.stdout[-1500:] + done.stderr)
        check("and once more, pasted again", again.returncode == 0, again.stdout[-1500:] + again.stderr)
        told, counted = done.stdout.split("--- verdict\n")[1].strip().split("\n", 1)
        funnel, counters = json.loads(told), json.loads(counted)
        numbers = {name: funnel.get(name) for name in ("targeted", "accepted", "received", "read")}
        check("its message was accepted, received and read",
              set(numbers.values()) == {1} and funnel["state"] == "completed", funnel)
        check("its badge was 0 after the read, then 7", '"badge":7' in done.stdout.replace(" ", ""), done.stdout[-800:])
        poll("the push to the group has not arrived",
             lambda: get(f"http://{address(simulator)}:8081/counters")["accepted"] >= 2)
        check("the simulator took what was sent", counters["accepted"] >= 1, counters)
        told = docker("exec", upmc, "upmc", "app", "credential", "com.example.bank", "--fcm-service-account",
                      "/trust/firebase.json")
        check("the simulator's service account is taken", "pushes through project" in told, told)
        looked = docker("exec", upmc, "upmc", "doctor", may_fail=True)
        check("Google's place is taken as Apple's is", "FCM (com.example.bank at simulator:2199): works" in looked, looked)
        check("the doctor finds nothing that keeps it from its work",
              "FAILURE" not in docker("exec", upmc, "upmc", "doctor", "--quiet", "--invariants", may_fail=True))
        check("the image backs up its database",
              docker("exec", upmc, "sh", "-c", "upmc backup /tmp/backup && test -s /tmp/backup && echo made").endswith("made\n"))
        key = docker("exec", upmc, "cat", "/keys/master.key")
        project("down", "--timeout", "20")
        project("up", "-d", "--no-build")
        [upmc] = project.containers("upmc")
        poll("the server does not answer again", lambda: get(ROUTE + "/health"))
        check("another start keeps the master key, and what is sealed with it",
              len(key) == 45 and docker("exec", upmc, "cat", "/keys/master.key") == key
              and "com.example.bank" in docker("exec", upmc, "upmc", "app", "list"))
        [simulator] = project.containers("simulator")
        size = {name: f"{image_size(name):.0f} MB" for name in ("upmc", "upmc-simulator", "debian:bookworm-slim")}
        print("\n".join(f"      {name} {seconds:.1f} s" for name, seconds in took.items()))
        print(f"      images: {size}; server's memory {memory(upmc):.0f} MiB, simulator's {memory(simulator):.0f} MiB")
    finally:
        project.down()
    check("nothing is left", project.containers("upmc") == [])
    finish()


if __name__ == "__main__":
    main()
