"""The container engine, as the deployment tests speak to it: `docker` and whichever compose there is (v2 or v1.29)."""

import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
failures = 0


def check(name, is_so, found=""):
    global failures
    failures += 0 if is_so else 1
    print(("ok    " if is_so else "FAILED"), name, "" if is_so else repr(found)[:2000], flush=True)


def finish():
    print(f"{failures} checks failed" if failures else "all checks passed")
    sys.exit(1 if failures else 0)


def run(*command, env=None, input=None, quiet=False, may_fail=False):
    """Runs a command and returns what it writes."""
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **(env or {})}, input=input, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode and not may_fail:
        if not quiet:
            print(done.stdout[-2000:], done.stderr[-2000:], file=sys.stderr)
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}")
    return done.stdout


def docker(*words, **options):
    return run("docker", *words, **options)


def compose_command():
    plugin = subprocess.run(["docker", "compose", "version"], capture_output=True)
    if plugin.returncode == 0:
        return ["docker", "compose"]
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    sys.exit("Neither `docker compose` nor `docker-compose` is there. Debian: apt-get install docker-compose")


class Project:
    """A compose project: its files, its name, its variables."""

    def __init__(self, name, files, variables):
        self.name, self.variables = name, variables
        self.words = compose_command() + ["--project-name", name]
        for file in files:
            self.words += ["--file", file]

    def __call__(self, *words, **options):
        return run(*self.words, *words, env=self.variables, **options)

    def containers(self, service):
        """Their ids, running or not."""
        return docker("ps", "--all", "--quiet", "--no-trunc", "--filter", f"label=com.docker.compose.project={self.name}",
                      "--filter", f"label=com.docker.compose.service={service}").split()

    def down(self):
        self("down", "--volumes", "--timeout", "20", may_fail=True)


def inspect(container):
    return json.loads(docker("inspect", container))[0]


def address(container, network=None):
    networks = inspect(container)["NetworkSettings"]["Networks"]
    return (networks[network] if network else next(iter(networks.values())))["IPAddress"]


def health(container):
    state = inspect(container)["State"]
    return state.get("Health", {}).get("Status", state["Status"])


def process(container):
    """The id, on this machine, of the container's first process."""
    return inspect(container)["State"]["Pid"]


def memory(container):
    """MiB resident, of the container's first process."""
    with open(f"/proc/{process(container)}/status") as status:
        line = next(line for line in status if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def image_size(name):
    return int(docker("image", "inspect", "--format", "{{.Size}}", name)) / 1e6


def poll(complaint, look, seconds=90):
    """Asks until there is an answer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            answer = look()
            if answer:
                return answer
        except (OSError, ValueError, KeyError):
            pass
        time.sleep(0.05)
    raise RuntimeError(complaint)


def get(url):
    with urllib.request.urlopen(url, timeout=5) as answer:
        return json.load(answer)
