"""An HTTP/2 server of another make than ours: the Python package h2 (Debian: python3-h2) over OpenSSL.

    h2_server.py CERTIFICATE_AND_KEY

It answers every request as FCM answers a message that it has taken. It prints the port it listens on, then each request as
a line of JSON, before it answers.
"""

import json
import socket
import ssl
import sys
import threading

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import DataReceived, RequestReceived, StreamEnded

printing = threading.Lock()


def say(line):
    with printing:
        print(line, flush=True)


def serve(client):
    h2 = H2Connection(H2Configuration(client_side=False, header_encoding="utf-8"))
    h2.initiate_connection()
    client.sendall(h2.data_to_send())
    requests = {}
    while data := client.recv(65536):
        for event in h2.receive_data(data):
            if isinstance(event, RequestReceived):
                requests[event.stream_id] = (dict(event.headers), bytearray())
            elif isinstance(event, DataReceived):
                requests[event.stream_id][1].extend(event.data)
                h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                headers, body = requests.pop(event.stream_id)
                say(json.dumps({"headers": headers, "body": json.loads(body)}))
                answer = json.dumps({"name": f"projects/p/messages/{event.stream_id}"}).encode()
                h2.send_headers(event.stream_id, [(":status", "200"), ("content-type", "application/json")])
                h2.send_data(event.stream_id, answer, end_stream=True)
        client.sendall(h2.data_to_send())


def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1])
    context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0))
    say(str(listener.getsockname()[1]))
    while True:
        client, _ = listener.accept()
        # In the thread: a handshake that never ends holds nobody up.
        threading.Thread(target=lambda raw: serve(context.wrap_socket(raw, server_side=True)), args=(client,)).start()


if __name__ == "__main__":
    main()
