#!/usr/bin/env python3
"""The production set (.deploy/production.yml) for real: three servers behind the proxy, while devices register, sends are
made and receipts come, one server is killed, then each is rolled. Afterwards nothing that was answered may be missing.
The steps are those that the file's opening names: migrate, doctor, a first account, up. A film of 5 MB goes up through the
proxy and comes back from every server.

A PostgreSQL and a simulator in containers of their own, outside the set, stand for the company's database and for Apple.

    Tests/Deployment/base-images.sh          where no registry of images can be reached
    docker build -t upmc . && docker build -t upmc-simulator --target simulator .
    python3 Tests/Deployment/production.py

Not part of `make test`: it needs an engine (DOCKER_HOST says which) and root, for the owners of the secret files.
"""

import hashlib
import json
import os
import resource
import signal
import ssl
import subprocess
import tempfile
import time
import urllib.request

from engine import (ROOT, Project, address, check, docker, finish, get, health, image_size, inspect, memory,
                    poll, process, run)
from load import APP, Load

PORT = 18443
OUTSIDE, DATABASE, SIMULATOR = "upmc-outside", "upmc-outside-database", "upmc-outside-simulator"
PASSWORD = "only for this check"


def write(path, text, owner):
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, 0o400)
    os.chown(path, owner, owner)


def remove_outside():
    for name in (DATABASE, SIMULATOR):
        docker("rm", "--force", "--volumes", name, may_fail=True)
    docker("network", "rm", OUTSIDE, may_fail=True)


def start_outside(secrets):
    """The company's database and Apple; returns where the simulator is controlled."""
    remove_outside()
    docker("network", "create", OUTSIDE)
    docker("run", "--detach", "--name", DATABASE, "--network", OUTSIDE, "--network-alias", "database",
           "--env", "POSTGRES_USER=upmc", "--env", f"POSTGRES_PASSWORD={PASSWORD}", "postgres:15")
    docker("run", "--detach", "--name", SIMULATOR, "--network", OUTSIDE, "--network-alias", "simulator",
           "--tmpfs", "/trust:uid=10001,gid=10001", "upmc-simulator", "upmc-simulator", "--listen=0.0.0.0:2197",
           "--sandbox-listen=0.0.0.0:2198", "--control-listen=0.0.0.0:8081", "--name=simulator", "--keep-payloads")
    control = f"http://{address(SIMULATOR)}:8081"
    poll("the simulator does not answer", lambda: get(control + "/counters"))
    with urllib.request.urlopen(control + "/ca.pem") as answer:
        write(secrets + "/authority.pem", answer.read().decode(), 10001)
    poll("the database is not there", lambda: query("SELECT 1") == ["1"])
    return control


def query(sql):
    return docker("exec", "--env", f"PGPASSWORD={PASSWORD}", DATABASE, "psql", "--host", "127.0.0.1", "--user", "upmc",
                  "--no-align", "--tuples-only", "--command", sql, "upmc", may_fail=True).split()


def make_secrets(secrets):
    os.chmod(secrets, 0o711)
    write(secrets + "/master.key", run("openssl", "rand", "-base64", "32"), 10001)
    write(secrets + "/pgpass", f"database:5432:*:upmc:{PASSWORD}\n", 10001)
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", secrets + "/key.pem",
        "-out", secrets + "/certificate.pem")
    write(secrets + "/tls.pem", open(secrets + "/certificate.pem").read() + open(secrets + "/key.pem").read(), 99)


def make_app(upmc, control):
    """As an operator does, in a container of the set; returns the client's key and the API's."""
    def command(*words, **options):
        return docker("exec", *(["--interactive"] if options else []), upmc, "upmc", *words, **options)

    client = json.loads(command("app", "create", APP, "--name", "Bank", "--json"))["clientKey"]
    with urllib.request.urlopen(control + "/key.p8") as answer:
        key = answer.read().decode()
    docker("exec", "--interactive", upmc, "sh", "-c", "cat >/tmp/AuthKey.p8", input=key)
    command("app", "credential", APP, "--apns-key", "/tmp/AuthKey.p8", "--key-id", "SIMKEY0001",
            "--team-id", "SIMULATOR1")
    return client, json.loads(command("key", "create", "--role", "admin", "--json"))["apiKey"]


def check_upload(key, tls, servers):
    """A film of 5 MB through the proxy, to whichever server: the others show it too."""
    film = b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom" + os.urandom(5_000_000 - 24)
    request = urllib.request.Request(
        f"https://localhost:{PORT}/v1/admin/uploads?appId={APP}", film,
        {"Authorization": "Bearer " + key, "Content-Type": "video/mp4"})

    def upload():
        begin = time.monotonic()
        try:
            with urllib.request.urlopen(request, context=tls, timeout=60) as answer:
                return json.load(answer), time.monotonic() - begin
        except urllib.error.HTTPError as error:
            # A server that has not heard of the key yet lets nobody fill its disk.
            if error.code == 413:
                return None
            raise

    said, took = poll("no server knows the key", upload, 10)
    check("a film of 5 MB is taken through the proxy", said["bytes"] == len(film), said)
    path = "/" + said["url"].split("/", 3)[3]
    sums = {hashlib.sha256(film).hexdigest()}
    with urllib.request.urlopen(f"https://localhost:{PORT}{path}", context=tls, timeout=60) as answer:
        sums.add(hashlib.sha256(answer.read()).hexdigest())
    for one in servers:
        sums.add(docker("exec", one, "sh", "-c",
                        f"curl --fail --silent --show-error http://127.0.0.1:8080{path} | sha256sum").split()[0])
    check("every server shows it, byte for byte", len(sums) == 1, sums)
    check("nothing of it stays on their disks",
          all(docker("exec", one, "sh", "-c", "find /var/lib/upmc -type f -size +1M").split() == [] for one in servers))
    return took


def check_stop(key, upmc):
    """A stop while the database keeps a list waiting: it takes no longer for that, and the caller is told."""
    holder = subprocess.Popen(
        ["docker", "exec", "--env", f"PGPASSWORD={PASSWORD}", DATABASE, "psql", "--host", "127.0.0.1", "--user", "upmc",
         "--command", "BEGIN; LOCK TABLE groups IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(60)", "upmc"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    poll("nobody holds the groups", lambda: query(
        "SELECT count(*) FROM pg_locks WHERE relation = 'groups'::regclass AND mode = 'AccessExclusiveLock' AND granted")
        == ["1"])
    asked = subprocess.Popen(
        ["docker", "exec", upmc, "curl", "--silent", "--show-error", "--include", "--header", "Authorization: Bearer " + key,
         f"http://127.0.0.1:8080/v1/admin/groups?appId={APP}"], stdout=subprocess.PIPE, text=True)
    poll("no list waits", lambda: query(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'upmc admin' AND wait_event_type = 'Lock'")
        == ["1"])
    begin = time.monotonic()
    docker("stop", "--time", "30", upmc)
    took = time.monotonic() - begin
    said = asked.communicate(timeout=60)[0]
    check("a list that waits does not hold a stop up", took < 10, took)
    check("its caller is told to come again", " 503 " in said and "retry-after: " in said.lower(), said)
    query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'BEGIN; LOCK TABLE groups%'")
    holder.wait(timeout=60)
    docker("start", upmc)
    poll("the server has not come back", lambda: health(upmc) == "healthy")
    return took


def check_confinement(upmc):
    host = inspect(upmc)["HostConfig"]
    check("the root is read only", host["ReadonlyRootfs"] and "Read-only" in docker(
        "exec", upmc, "sh", "-c", "touch /usr/local/bin/x 2>&1 || true"))
    check("it is not root, and cannot become it", docker("exec", upmc, "id", "-u").strip() == "10001"
          and host["CapDrop"] == ["ALL"] and "no-new-privileges:true" in host["SecurityOpt"], host["SecurityOpt"])
    check("memory, processors and processes are limited",
          host["Memory"] > 0 and host["NanoCpus"] > 0 and host["PidsLimit"] > 0)
    said = json.dumps(inspect(upmc)["Config"]) + docker("exec", upmc, "sh", "-c", "tr '\\0' ' ' </proc/1/environ")
    check("no secret is in its environment", PASSWORD not in said)
    check("the doctor finds nothing that keeps it from its work",
          "FAILURE" not in docker("exec", upmc, "upmc", "doctor", "--quiet", may_fail=True))


def main():
    secrets = tempfile.mkdtemp(prefix="upmc-secrets.")
    variables = {"DEPLOY_VERSION": "latest", "DEPLOY_SECRETS": secrets, "DEPLOY_PORT": str(PORT), "UPMC_PUBLIC_URL": f"https://localhost:{PORT}",
                 "UPMC_DATABASE_URL": "postgresql://upmc@database/upmc",
                 # An engine inside a container may not allow what it is not allowed itself.
                 "DEPLOY_OPEN_FILES": str(min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))}
    project = Project("upmc-production", [ROOT + "/.deploy/production.yml", ROOT + "/Tests/Deployment/outside.yml"],
                      variables)
    project.down()
    took = {}
    load = None
    try:
        make_secrets(secrets)
        control = start_outside(secrets)
        tls = ssl.create_default_context(cafile=secrets + "/certificate.pem")
        said = project("run", "--rm", "-T", "upmc", "upmc", "migrate")
        check("the database is migrated before any server starts",
              query("SELECT max(version) FROM upmc_migrations") == [str(len(os.listdir(ROOT + "/Migrations")))], said)
        said = project("run", "--rm", "-T", "upmc", "upmc", "doctor", "--quiet", may_fail=True)
        check("the doctor lets it start", "FAILURE" not in said, said)
        said = project("run", "--rm", "-T", "upmc", "upmc", "account", "create", "you@example.com", "--name", "You",
                       "--role", "admin")
        check("the first account is made, and its link shown", "sign-in=" in said, said)
        begin = time.monotonic()
        project("up", "-d", "--scale", "upmc=3")
        poll("the proxy has no server", lambda: urllib.request.urlopen(
            f"https://localhost:{PORT}/ready", context=tls, timeout=5).status == 200)
        took["three servers behind the proxy answered after"] = time.monotonic() - begin
        servers = project.containers("upmc")
        poll("not all are healthy", lambda: all(health(one) == "healthy" for one in servers))
        took["all were healthy after"] = time.monotonic() - begin
        check("there are three", len(servers) == 3, servers)
        check_confinement(servers[0])
        client, key = make_app(servers[0], control)
        try:
            urllib.request.urlopen(f"https://localhost:{PORT}/metrics", context=tls, timeout=5)
            check("the proxy shows nobody its metrics", False)
        except urllib.error.HTTPError as error:
            check("the proxy shows nobody its metrics", error.code == 404, error.code)

        took["an upload of 5 MB through the proxy took"] = check_upload(key, tls, servers)
        took["a stop while a list waits for a lock took"] = check_stop(key, servers[1])
        logs = project("logs", "--no-color", "upmc")
        check("no log shows a link, for an account is there", "sign-in=" not in logs)

        load = Load([("localhost", PORT)], client, key, control, tls=tls)
        load.wait(300)
        check("without disturbance no call is asked again", not load.refused, load.reasons())

        before = len(load.refused)
        os.kill(process(servers[0]), signal.SIGKILL)
        killed = time.monotonic()
        load.wait(300)
        poll("the killed server has not come back", lambda: health(servers[0]) == "healthy")
        took["a killed server was back, and healthy, after"] = time.monotonic() - killed
        print(f"      kill -9 of one of three: {len(load.refused) - before} calls asked again")

        for number, one in enumerate(servers):
            before, started = len(load.refused), time.monotonic()
            docker("stop", "--time", "30", one)
            stopped = time.monotonic()
            ending = inspect(one)["State"]["ExitCode"]
            docker("rm", one)
            project("up", "-d", "--no-recreate", "--scale", "upmc=3")
            poll("the new server is not healthy", lambda: len(project.containers("upmc")) == 3
                 and all(health(other) == "healthy" for other in project.containers("upmc")))
            load.wait(200)
            check(f"server {number + 1} was rolled and ended by itself", ending == 0, ending)
            print(f"      rolled: stopped in {stopped - started:.1f} s, its successor healthy after "
                  f"{time.monotonic() - stopped:.1f} s, {len(load.refused) - before} calls asked again")
        check("all three are new", not set(servers) & set(project.containers("upmc")))
        sizes = [f"{memory(one):.0f}" for one in project.containers("upmc") + project.containers("proxy")]
        load.end()
        load.verify(check, query, lambda: get(control + "/counters"))
        print("      asked again because:", load.reasons())
        doctor = docker("exec", project.containers("upmc")[0], "upmc", "doctor", "--invariants", may_fail=True)
        check("the doctor finds no broken promise", "FAILURE" not in doctor and "invariant" in doctor, doctor)
        print("\n".join(f"      {name} {seconds:.1f} s" for name, seconds in took.items()))
        print(f"      the first push arrived {load.first_push * 1000:.0f} ms after the clients began")
        print(f"      memory: servers and proxy {', '.join(sizes)} MiB; image {image_size('upmc'):.0f} MB")
    finally:
        if load:
            load.over.set()
        project.down()
        remove_outside()
        run("rm", "-rf", secrets)
    finish()


if __name__ == "__main__":
    main()
