#!/usr/bin/env python3
"""An upgrade from one release to another that really differs: two old servers work on one database, a new one joins and
migrates it under them, the old ones are replaced, one in good order and one by kill -9, while devices register, sends
are made and receipts come. Afterwards nothing that was answered may be missing.

    Tests/Deployment/upgrade.py OLD_UPMC OLD_MIGRATIONS NEW_UPMC NEW_MIGRATIONS SIMULATOR

Each is a program or the directory that belongs to it. Starts a PostgreSQL of its own (Debian's, as user postgres when
run by root). Not part of `make test`, which cannot build an older release; `UpgradeTests` does what can be done there.
"""

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from engine import check, finish, get, poll
from load import APP, Load

OLD, OLD_MIGRATIONS, NEW, NEW_MIGRATIONS, SIMULATOR = sys.argv[1:6]
KEY = "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Database:
    def __init__(self, directory):
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.owner = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.getuid() == 0 else []
        self.directory, self.port = directory + "/db", free_port()
        os.mkdir(self.directory)
        if self.owner:
            os.chmod(directory, 0o755)
            shutil.chown(self.directory, "postgres")
        self.run("initdb", "-D", self.directory + "/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale")
        self.run("pg_ctl", "-D", self.directory + "/data", "-w", "-l", self.directory + "/log", "-o",
                 f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.directory}", "start")
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/upmc"
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "upmc")

    def run(self, name, *words):
        return subprocess.run(self.owner + [f"{self.binaries}/{name}", *words], check=True, text=True, cwd="/",
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    def query(self, sql):
        return self.run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-At", "-c", sql,
                        "upmc").split()

    def stop(self):
        self.run("pg_ctl", "-D", self.directory + "/data", "-m", "fast", "stop")


class Node:
    """A server of one release."""
    def __init__(self, name, program, migrations, directory, database, simulator, port=None):
        self.port, self.log = port or free_port(), f"{directory}/{name}.log"
        self.variables = {
            **{key: value for key, value in os.environ.items() if not key.startswith("UPMC_")},
            "UPMC_DATABASE_URL": database.url, "UPMC_MASTER_KEY": KEY, "UPMC_MIGRATIONS_DIR": migrations,
            "UPMC_LISTEN": f"127.0.0.1:{self.port}", "UPMC_CA_FILE": directory + "/ca.pem",
            "UPMC_APNS_PRODUCTION_URL": "https://" + simulator["apns"],
            "UPMC_APNS_SANDBOX_URL": "https://" + simulator["sandbox"]}
        self.program = program
        self.process = subprocess.Popen([program, "serve"], env=self.variables, cwd=directory,
                                        stdout=open(self.log, "a"), stderr=subprocess.STDOUT)

    def command(self, *words):
        return subprocess.run([self.program, *words], env=self.variables, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def ready(self):
        poll(f"{self.log} does not serve: {open(self.log).read()[-600:]}",
             lambda: get(f"http://127.0.0.1:{self.port}/ready"), 30)
        return self

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(40)

    def kill(self):
        self.process.kill()
        self.process.wait()


def version(database):
    return int(database.query("SELECT max(version) FROM upmc_migrations")[0])


def complaints(node):
    """Lines of its log that speak of trouble."""
    return [line.strip() for line in open(node.log) if " warning " in line or " error " in line or "critical" in line]


def main():
    directory = tempfile.mkdtemp(prefix="upmc-upgrade.")
    database = Database(directory)
    simulated = subprocess.Popen(
        [SIMULATOR, "--json", "--listen", "127.0.0.1:0", "--sandbox-listen", "127.0.0.1:0", "--control-listen",
         "127.0.0.1:0", "--keep-payloads", "--ca-file", directory + "/ca.pem", "--key-file", directory + "/key.p8"],
        stdout=subprocess.PIPE, text=True)
    simulator = json.loads(simulated.stdout.readline())
    control = "http://" + simulator["control"]
    nodes, load = [], None

    def start(name, program, migrations, port=None):
        nodes.append(Node(name, program, migrations, directory, database, simulator, port))
        return nodes[-1]

    try:
        first = start("old-1", OLD, OLD_MIGRATIONS).ready()
        second = start("old-2", OLD, OLD_MIGRATIONS).ready()
        old_version = version(database)
        client = json.loads(first.command("app", "create", APP, "--name", "Bank", "--json"))["clientKey"]
        first.command("app", "credential", APP, "--apns-key", directory + "/key.p8", "--key-id", "SIMKEY0001",
                      "--team-id", "SIMULATOR1")
        key = json.loads(first.command("key", "create", "--role", "admin", "--json"))["apiKey"]
        third_port = free_port()
        load = Load([("127.0.0.1", first.port), ("127.0.0.1", second.port)], client, key, control)
        load.wait(200)
        check("two old servers work", not load.refused, load.reasons())

        third = start("new-3", NEW, NEW_MIGRATIONS, third_port).ready()
        migrated = version(database)
        refused = len(load.refused)
        load.wait(200)
        print(f"      migrated from {old_version} to {migrated} under two old servers; {len(load.refused)} calls asked "
              f"again so far, {refused} of them when the new server was ready: {load.reasons()}")
        check("the old servers work on after the migration", not load.errors, load.errors[:3])
        load.addresses.append(("127.0.0.1", third.port))
        load.wait(200)

        again = start("old-again", OLD, OLD_MIGRATIONS)
        status = again.process.wait(30)
        print("      an old server started now:", open(again.log).read().strip().split("\n")[-1][:400])
        check("an old server that is started now serves, or says why not", status != 0)

        check("an old server ends by itself", first.stop() == 0)
        first = start("new-1", NEW, NEW_MIGRATIONS, first.port).ready()
        load.wait(200)
        second.kill()
        second = start("new-2", NEW, NEW_MIGRATIONS, second.port).ready()
        load.wait(300)
        load.end()
        load.verify(check, database.query, lambda: get(control + "/counters"))
        print("      asked again because:", load.reasons())
        said = subprocess.run([NEW, "doctor", "--invariants"], env=third.variables, text=True, stdout=subprocess.PIPE)
        check("the doctor finds no broken promise", "FAILURE" not in said.stdout, said.stdout)
        for node in nodes:
            found = complaints(node)
            print(f"      {os.path.basename(node.log)}: {len(found)} complaints", *found[:3], sep="\n        ")
    finally:
        if load:
            load.over.set()
        for node in nodes:
            if node.process.poll() is None:
                node.kill()
        simulated.kill()
        database.stop()
        shutil.rmtree(directory)
    finish()


if __name__ == "__main__":
    main()
