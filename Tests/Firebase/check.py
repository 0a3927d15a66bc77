#!/usr/bin/env python3
"""Google's own client libraries against the simulator's FCM.

google-auth must get an access token from its token endpoint, and firebase-admin must send through it (HTTP/1.1 and
HTTP/2), have its messages judged, and map every class of error as it does with the real service.

    make firebase

Not part of `make test`: the libraries are large and come from outside Debian.
"""

import asyncio
import datetime
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import warnings

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else ".build/debug/upmc-simulator"
TOKEN = "fabcdefghijklmnopqrstu:APA91bexample"
failures = 0


def check(name, is_so, found=""):
    global failures
    failures += 0 if is_so else 1
    print(("ok    " if is_so else "FAILED"), name, "" if is_so else repr(found))


def start(directory):
    """Starts the simulator and returns the process and what it announces."""
    process = subprocess.Popen(
        [PROGRAM, "--json", "--listen", "127.0.0.1:0", "--fcm-listen", "127.0.0.1:0", "--keep-payloads",
         "--ca-file", directory + "/ca.pem", "--service-account-file", directory + "/account.json"],
        stdout=subprocess.PIPE)
    return process, json.loads(process.stdout.readline())


def control(address, path):
    with urllib.request.urlopen("http://" + address + path) as answer:
        return json.load(answer)


def check_tokens(account):
    from google.auth import exceptions
    from google.auth.transport import requests
    from google.oauth2 import service_account

    scope = ["https://www.googleapis.com/auth/firebase.messaging"]
    credentials = service_account.Credentials.from_service_account_file(account, scopes=scope)
    credentials.refresh(requests.Request())
    check("google-auth gets an access token", credentials.token.startswith("ya29."), credentials.token)
    rest = (credentials.expiry - datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)).total_seconds()
    check("which lives for an hour", 3500 < rest <= 3600, rest)

    def refusal(**change):
        info = json.load(open(account))
        scopes = change.pop("scopes", scope)
        info.update(change)
        try:
            service_account.Credentials.from_service_account_info(info, scopes=scopes).refresh(requests.Request())
            return None
        except exceptions.RefreshError as error:
            return error.args[1].get("error") if isinstance(error.args[1], dict) else str(error)

    check("a foreign key is refused", refusal(private_key=foreign_key()) == "invalid_grant")
    check("a foreign account is refused", refusal(client_email="nobody@example.com") == "invalid_grant")
    check("a foreign scope is refused",
          refusal(scopes=["https://www.googleapis.com/auth/drive"]) == "invalid_scope")


def foreign_key():
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()


def check_messages(messaging, address):
    android = messaging.AndroidConfig(
        priority="high", ttl=datetime.timedelta(seconds=600), collapse_key="k",
        notification=messaging.AndroidNotification(
            title="T", body="B", color="#aabbcc", channel_id="c", visibility="private", notification_count=3,
            vibrate_timings_millis=[100, 200],
            light_settings=messaging.LightSettings("#aabbcc", 100, 200), event_timestamp=datetime.datetime.now()))
    apns = messaging.APNSConfig(
        headers={"apns-priority": "10"}, payload=messaging.APNSPayload(messaging.Aps(alert="A", badge=1)))
    message = messaging.Message(
        token=TOKEN, data={"message": "{}"}, notification=messaging.Notification("T", "B"), android=android,
        apns=apns, fcm_options=messaging.FCMOptions(analytics_label="label"))
    name = messaging.send(message)
    check("a message with every part is sent", name.startswith("projects/upmc-simulator/messages/0:"), name)
    found = control(address, "/deliveries?registration=" + urllib.parse.quote(TOKEN))["deliveries"]
    check("and delivered once", len(found) == 1, found)
    name = messaging.send(message, dry_run=True)
    check("a dry run delivers nothing", name.endswith("/fake_message_id")
          and len(control(address, "/deliveries?registration=" + urllib.parse.quote(TOKEN))["deliveries"]) == 1, name)
    check("a topic is taken", "/messages/" in messaging.send(messaging.Message(topic="news", data={"a": "b"})))
    check("a condition is taken",
          "/messages/" in messaging.send(messaging.Message(condition="'a' in topics || 'b' in topics")))
    batch = messaging.send_each([messaging.Message(token=f"f{n}:APA91b", data={"n": str(n)}) for n in range(50)])
    check("fifty at once over HTTP/1.1", batch.success_count == 50, batch.failure_count)


def check_errors(messaging, exceptions):
    rows = [
        ("INVALID_ARGUMENT", exceptions.InvalidArgumentError), ("INVALID_PAYLOAD", exceptions.InvalidArgumentError),
        ("UNREGISTERED", messaging.UnregisteredError), ("SENDER_ID_MISMATCH", messaging.SenderIdMismatchError),
        ("QUOTA_EXCEEDED", messaging.QuotaExceededError), ("DEVICE_RATE_EXCEEDED", messaging.QuotaExceededError),
        ("THIRD_PARTY_AUTH_ERROR", messaging.ThirdPartyAuthError),
        ("APNS_UNREGISTERED", exceptions.InvalidArgumentError), ("INTERNAL", exceptions.InternalError),
        ("UNAVAILABLE", exceptions.UnavailableError), ("UNAUTHENTICATED", exceptions.UnauthenticatedError),
        ("PERMISSION_DENIED", exceptions.PermissionDeniedError), ("NOT_FOUND", exceptions.NotFoundError),
    ]
    for word, kind in rows:
        try:
            messaging.send(messaging.Message(token=f"fault.{word}:x", data={"a": "b"}))
            check(word, False, "accepted")
        except exceptions.FirebaseError as error:
            check(f"{word} is {kind.__name__}", type(error) is kind, error)
    for name, message in [
        ("a reserved key", messaging.Message(token=TOKEN, data={"google.x": "y"})),
        ("too large a payload", messaging.Message(token=TOKEN, data={"text": "x" * 5000})),
        ("a name that is no token", messaging.Message(token="nonsense", data={"a": "b"})),
    ]:
        try:
            messaging.send(message)
            check(name, False, "accepted")
        except exceptions.InvalidArgumentError as error:
            check(f"{name} is an invalid argument", True, error)


def check_http2(messaging, exceptions, address, authority):
    """send_each_async speaks HTTP/2, and only over TLS."""
    messages = [messaging.Message(token=f"f{n}:APA91bh2", data={"n": str(n)}) for n in range(200)]
    messages.append(messaging.Message(token="fault.UNREGISTERED:x", data={"a": "b"}))
    batch = asyncio.run(messaging.send_each_async(messages))
    last = batch.responses[-1].exception
    first = next((one.exception for one in batch.responses if one.exception), None)
    check("two hundred at once over HTTP/2", batch.success_count == 200, first)
    check("with its error", isinstance(last, messaging.UnregisteredError), last)


def main():
    # It would rather be given installation ids than tokens; both are sent.
    warnings.simplefilter("ignore", DeprecationWarning)
    with tempfile.TemporaryDirectory() as directory:
        process, started = start(directory)
        try:
            # Read when the libraries make their TLS contexts.
            os.environ["SSL_CERT_FILE"] = directory + "/ca.pem"
            account = directory + "/account.json"
            check_tokens(account)

            import firebase_admin
            from firebase_admin import credentials, exceptions, messaging

            service = messaging._MessagingService
            service.FCM_URL = "http://" + started["control"] + "/v1/projects/{0}/messages:send"
            firebase_admin.initialize_app(credentials.Certificate(account))
            check_messages(messaging, started["control"])
            check_errors(messaging, exceptions)
            firebase_admin.delete_app(firebase_admin.get_app())

            service.FCM_URL = "https://" + started["fcm"] + "/v1/projects/{0}/messages:send"
            firebase_admin.initialize_app(credentials.Certificate(account))
            check_http2(messaging, exceptions, started["fcm"], directory + "/ca.pem")
            counters = control(started["control"], "/counters")["fcm"]
            print("the simulator saw", json.dumps(counters, sort_keys=True))
        finally:
            process.terminate()
            process.wait()
    print("all is well" if failures == 0 else f"{failures} FAILED")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
