#!/usr/bin/env python3
"""Generates two clients from a running server's document, and lets each go the full circle: register a device, make a
group and join it, send with an idempotency key, see the message end, confirm it, read its deliveries page by page, and
be refused with a problem of a type.

    clients.py --server http://127.0.0.1:8080 --client-key … --api-key … --app com.example.fuzz --directory /tmp/clients

The generators are openapi-generator and openapi-python-client, as `make fuzz-api` installs them; the first needs Java.
Warnings are failures: a generator that leaves an operation or an answer out says so in one.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import time
import urllib.request

TOOLS = pathlib.Path(sys.executable).parent
# What the second generator would take for unknown: the bodies are files.
SETTINGS = """
content_type_overrides:
  text/csv: application/octet-stream
post_hooks: []
"""
# What is said of every document of this version, and of names that Python has for itself.
HARMLESS = ("OpenAPI 3.1 support is still in beta", "Failed to get the schema name: null", "(reserved word)",
            "Default to typing.Any")


class Failure(Exception):
    pass


def expect(truth, *what):
    if not truth:
        raise Failure(*what)


def generate(tool, arguments, directory):
    result = subprocess.run([TOOLS / tool, *arguments], cwd=directory, capture_output=True, text=True)
    output = result.stdout + result.stderr
    (directory / f"{tool}.log").write_text(output, encoding="utf-8")
    expect(result.returncode == 0, output[-3000:])
    faults = [line for line in output.splitlines()
              if any(word in line for word in ("WARN", "ERROR", "Unable", "Cannot parse", "will not be generated"))
              and not any(word in line for word in HARMLESS)]
    expect(not faults, f"{tool} warns:\n" + "\n".join(faults[:20]))


def until(what, body):
    for _ in range(600):
        value = body()
        if value:
            return value
        time.sleep(0.1)
    raise Failure(what)


def pushkey(simulator, token, seqno):
    """As the phone reads it in its payload."""
    def arrived():
        with urllib.request.urlopen(f"{simulator}/deliveries?token={token}") as answer:
            payloads = [json.loads(one["payload"]) for one in json.load(answer)["deliveries"]]
        return next((one["mps"]["pushkey"] for one in payloads if one.get("mps", {}).get("seqno") == seqno), None)
    return until("no push arrived", arrived)


def with_openapi_generator(options, directory):
    generate("openapi-generator-cli", ["generate", "-g", "python", "-i", "openapi.json", "-o", "first",
                                       "--additional-properties=packageName=upmc_first"], directory)
    sys.path.insert(0, str(directory / "first"))
    import upmc_first as upmc

    def api(kind, key):
        return kind(upmc.ApiClient(upmc.Configuration(host=options.server, access_token=key)))

    token = "c1" * 32
    devices = api(upmc.DevicesApi, options.client_key)
    registered = devices.register_device(upmc.Registration(upmc.APNsRegistration(
        app_id=options.app, psid=token, device_id="first-client", client_uid="first", client_name="First")))
    expect(registered.user.client_uid == "first" and len(registered.auth_key) > 40, registered)
    own = api(upmc.DevicesApi, registered.auth_key)
    people = api(upmc.PeopleAndGroupsApi, options.api_key)
    group = people.create_group(upmc.NewGroup(app_id=options.app, name="first"))
    own_groups = api(upmc.DevicesApi, registered.auth_key)
    own_groups.join_group(registered.device, group.group_seq)
    expect([one.group_seq for one in own.list_groups(registered.device).items] == [group.group_seq], "not joined")

    messages = api(upmc.MessagesApi, options.api_key)
    send = upmc.Send(
        app_id=options.app, audience=upmc.Audience(upmc.AudienceGroups(groups=[upmc.GroupSeq(group.group_seq)])),
        alert=upmc.Alert("Hello from the first client"), lane="urgent")
    accepted = messages.send_message(send, idempotency_key="first-1").actual_instance
    again = messages.send_message(send, idempotency_key="first-1").actual_instance
    expect(accepted.seqno == again.seqno, "sent twice")
    until("it did not end", lambda: messages.show_message(accepted.seqno).state == "completed")
    receipts = api(upmc.ReceiptsAndReadsApi, None)
    key = pushkey(options.simulator, token, accepted.seqno)
    answer = receipts.confirm_receipts(upmc.Receipts(receipts=[
        upmc.Receipt(seqno=accepted.seqno, psid=token, pushkey=key)]))
    expect([one.status for one in answer.results] == ["recorded"], answer)
    expect(messages.show_message(accepted.seqno).received == 1, "no receipt")
    page = messages.list_deliveries(accepted.seqno, limit=1)
    expect(page.items[0].client_uid == "first" and page.items[0].received_at is not None, page)

    # Two pages of a list, with the cursor as it came.
    listed = messages.list_messages(app_id=options.app, limit=1)
    expect(messages.list_messages(app_id=options.app, limit=1, cursor=listed.next_cursor).items, "no second page")
    try:
        messages.show_message("999999999")
        raise Failure("nothing was refused")
    except upmc.exceptions.NotFoundException as error:
        expect(isinstance(error.data, upmc.Problem) and error.data.type == "upmc:unknown-message", error.data)
    try:
        people.create_group(upmc.NewGroup.model_construct(app_id="no app!", name=""))
        raise Failure("nothing was refused")
    except upmc.exceptions.BadRequestException as error:
        expect(sorted(one.pointer for one in error.data.errors) == ["/appId", "/name"] or len(error.data.errors) > 0,
               error.data)
    return accepted.seqno


def with_openapi_python_client(options, directory):
    (directory / "settings.yml").write_text(SETTINGS, encoding="utf-8")
    generate("openapi-python-client", ["generate", "--path", "openapi.json", "--output-path", "second", "--overwrite",
                                       "--config", "settings.yml"], directory)
    sys.path.insert(0, str(directory / "second"))
    import upmc_client as upmc
    from upmc_client import models
    from upmc_client.api.devices import join_group, list_groups, register_device
    from upmc_client.api.messages import list_deliveries, list_messages, send_message, show_message
    from upmc_client.api.people_and_groups import create_group
    from upmc_client.api.receipts_and_reads import confirm_receipts

    def client(key):
        return upmc.AuthenticatedClient(base_url=options.server, token=key)

    token = "c2" * 32
    registered = register_device.sync(client=client(options.client_key), body=models.APNsRegistration(
        app_id=options.app, psid=token, device_id="second-client", client_uid="second", client_name="Second"))
    expect(isinstance(registered, models.Registered) and registered.user.client_uid == "second", registered)
    admin = client(options.api_key)
    group = create_group.sync(client=admin, body=models.NewGroup(app_id=options.app, name="second"))
    own = client(registered.auth_key)
    expect(join_group.sync_detailed(registered.device, group.group_seq, client=own).status_code == 204, "not joined")
    expect([one.group_seq for one in list_groups.sync(registered.device, client=own).items] == [group.group_seq],
           "not joined")

    send = models.Send(
        app_id=options.app, audience=models.AudienceGroups(groups=[group.group_seq]),
        alert="Hello from the second client", lane=models.SendLane.URGENT)
    accepted = send_message.sync(client=admin, body=send, idempotency_key="second-1")
    again = send_message.sync(client=admin, body=send, idempotency_key="second-1")
    expect(isinstance(accepted, models.Accepted) and accepted.seqno == again.seqno, accepted)
    until("it did not end", lambda: show_message.sync(accepted.seqno, client=admin).state == "completed")
    key = pushkey(options.simulator, token, accepted.seqno)
    answer = confirm_receipts.sync(client=upmc.Client(base_url=options.server), body=models.Receipts(receipts=[
        models.Receipt(seqno=accepted.seqno, psid=token, pushkey=key)]))
    expect([one.status for one in answer.results] == ["recorded"], answer)
    expect(show_message.sync(accepted.seqno, client=admin).received == 1, "no receipt")
    page = list_deliveries.sync(accepted.seqno, client=admin, limit=1)
    expect(page.items[0].client_uid == "second" and page.items[0].received_at is not None, page)
    listed = list_messages.sync(client=admin, app_id=options.app, limit=1)
    expect(list_messages.sync(client=admin, app_id=options.app, limit=1, cursor=listed.next_cursor).items,
           "no second page")
    problem = show_message.sync("999999999", client=admin)
    expect(isinstance(problem, models.Problem) and problem.type_ == "upmc:unknown-message", problem)
    problem = create_group.sync(client=admin, body=models.NewGroup(app_id="no app!", name=""))
    expect(isinstance(problem, models.Problem) and problem.errors, problem)
    return accepted.seqno


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("server", "client-key", "api-key", "app", "simulator", "directory"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args(arguments)
    directory = pathlib.Path(options.directory)
    directory.mkdir(parents=True, exist_ok=True)
    with urllib.request.urlopen(options.server + "/openapi.json") as answer:
        (directory / "openapi.json").write_bytes(answer.read())
    for name, circle in (("openapi-generator", with_openapi_generator),
                         ("openapi-python-client", with_openapi_python_client)):
        try:
            print(f"{name}: generated, imported; message {circle(options, directory)} went the full circle", flush=True)
        except Failure as failure:
            sys.exit(f"{name}: {failure}")


if __name__ == "__main__":
    main()
