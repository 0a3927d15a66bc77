#!/usr/bin/env python3
"""How long the console takes to stand where the server is far away.

load_times.py PROGRAM [--rtt 60] [--rounds 5]

Starts the program's demonstration, a proxy that delays everything by half a round trip each way (and a connection by one, for
its handshake), and Chromium; signs in; then loads the console several times with an empty cache and with a full one. Prints
the medians of the times in milliseconds until the dashboard and the sign-in form stand, and what was fetched for them.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]


class SlowLine:
    """A TCP proxy on a thread of its own."""

    def __init__(self, port, rtt):
        self.target, self.half = port, rtt / 2000
        self.open = set()
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._run, args=(ready,), daemon=True).start()
        ready.wait()

    def _run(self, ready):
        async def listen():
            self.server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
            self.port = self.server.sockets[0].getsockname()[1]
            ready.set()

        self.loop.run_until_complete(listen())
        self.loop.run_forever()

    async def _accept(self, reader, writer):
        self.open.add(writer)
        await asyncio.sleep(2 * self.half)
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))
        self.open.discard(writer)

    async def _carry(self, reader, writer):
        """Each piece leaves half a round trip after it came, however many are on the way."""
        pieces = asyncio.Queue()

        async def deliver():
            while True:
                due, piece = await pieces.get()
                await asyncio.sleep(max(0, due - self.loop.time()))
                if piece is None:
                    break
                writer.write(piece)
                await writer.drain()
            writer.close()

        delivery = asyncio.ensure_future(deliver())
        try:
            while piece := await reader.read(65536):
                pieces.put_nowait((self.loop.time() + self.half, piece))
        except ConnectionError:
            pass
        pieces.put_nowait((self.loop.time() + self.half, None))
        try:
            await delivery
        except ConnectionError:
            pass

    def drop(self):
        """Closes all connections, so that the browser has to make new ones."""

        def close():
            for writer in list(self.open):
                writer.close()

        self.loop.call_soon_threadsafe(close)
        time.sleep(0.3)


class Browser:
    def __init__(self):
        self.directory = tempfile.mkdtemp()
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not (found := re.search(r"successfully on port (\d+)", self.driver.stdout.readline())):
            pass
        self.base = f"http://127.0.0.1:{found.group(1)}"
        options = {"args": ["--headless=new", "--no-sandbox", f"--user-data-dir={self.directory}"]}
        answer = self.call("/session", {"capabilities": {"alwaysMatch": {
            "pageLoadStrategy": "none", "goog:chromeOptions": options}}})
        self.base += f"/session/{answer['sessionId']}"

    def call(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["value"]

    def command(self, name, **parameters):
        return self.call("/goog/cdp/execute", {"cmd": name, "params": parameters})

    def script(self, text):
        return self.call("/execute/sync", {"script": text, "args": []})

    def until(self, condition, seconds=60):
        """Waits for a condition in the page. Returns what it is."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                if value := self.script(f"return {condition}"):
                    return value
            except urllib.error.HTTPError:
                pass
            time.sleep(0.003)
        raise SystemExit(f"the page does not come to: {condition}")

    def close(self):
        try:
            self.call("", method="DELETE")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.directory, ignore_errors=True)


def sign_in(browser, url, link):
    password = "correct horse battery staple"
    browser.call("/url", {"url": "about:blank"})
    browser.call("/url", {"url": f"{url}/#{link[1:]}"})
    browser.until("document.querySelectorAll('input[type=password]').length >= 2")
    write = """
        for (const input of document.querySelectorAll('input[type=password]')) input.value = '%s';
        document.querySelector('form button').click();""" % password
    browser.script(write)
    browser.until("document.querySelector('input[name=login]') || document.querySelector('#page[data-ready]')")
    if browser.script("return document.querySelector('#page[data-ready]') === null"):
        browser.script(
            "document.querySelector('input[name=login]').value = 'admin';" + write)
        browser.until("document.querySelector('#page[data-ready]')")


def load(browser, line, url, ready, is_cold):
    browser.call("/url", {"url": "about:blank"})
    browser.until("location.href === 'about:blank'")
    if is_cold:
        browser.command("Network.clearBrowserCache")
    line.drop()
    browser.call("/url", {"url": url})
    milliseconds = browser.until(f"location.href !== 'about:blank' && {ready} && performance.now()")
    fetched = browser.script("""
        const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
        const sent = all.filter((one) => one.transferSize > 0 && one.responseEnd <= arguments[0] + 0);
        return [sent.length, sent.reduce((sum, one) => sum + one.transferSize, 0)];""".replace(
            "arguments[0] + 0", str(milliseconds)))
    return milliseconds, *fetched


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--rtt", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    directory = tempfile.mkdtemp()
    with open(f"{directory}/log", "w") as log:
        environment = os.environ | {
            "UPMC_LISTEN": "127.0.0.1:0", "UPMC_MIGRATIONS_DIR": str(ROOT / "Migrations"),
            "UPMC_PUBLIC_DIR": str(ROOT / "Public"), "UPMC_DATA_DIR": f"{directory}/data"}
        demo = subprocess.Popen(
            [os.path.abspath(options.program), "demo"], cwd=directory, env=environment, stdout=log, stderr=log,
            start_new_session=True)
    browser = None
    try:
        link = None
        for _ in range(600):
            text = pathlib.Path(f"{directory}/log").read_text()
            if link := re.search(r"http://127\.0\.0\.1:(\d+)/(#sign-in=\S+)", text):
                break
            if demo.poll() is not None:
                raise SystemExit(text)
            time.sleep(0.1)
        line = SlowLine(int(link.group(1)), options.rtt)
        url = f"http://127.0.0.1:{line.port}"
        browser = Browser()
        pages = {"sign-in": "document.querySelector('#root form') !== null",
                 "dashboard": "document.querySelector('#page[data-ready]') !== null"}
        print(f"{options.rtt:.0f} ms round trip, medians of {options.rounds}")
        for name, ready in pages.items():
            if name == "dashboard":
                sign_in(browser, url, link.group(2))
            for kind in ["cold", "warm"]:
                found = [load(browser, line, url, ready, kind == "cold") for _ in range(options.rounds)]
                times = sorted(one[0] for one in found)
                print(f"{name:10} {kind}: {statistics.median(times):6.0f} ms ({times[0]:.0f}–{times[-1]:.0f}), "
                      f"{found[-1][1]} requests, {found[-1][2]:,} bytes", flush=True)
    finally:
        if browser:
            browser.close()
        os.killpg(demo.pid, signal.SIGINT)
        demo.wait()
        shutil.rmtree(directory, ignore_errors=True)


main()
