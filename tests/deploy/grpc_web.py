# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A gRPC-Web call as a browser makes it, on the standard library alone."""

import base64
import http.client
import struct

import harness

SERVICE = "ikstream.v1.IkService"


class Answer:
    """Messages in bytes, and the trailers."""

    def __init__(self, status, headers, body):
        self.http_status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.messages = []
        self.trailers = dict(self.headers)
        while body:
            kind, length = struct.unpack(">BI", body[:5])
            payload, body = body[5 : 5 + length], body[5 + length :]
            if kind & 0x80:
                for line in payload.decode().strip().split("\r\n"):
                    name, value = line.split(":", 1)
                    self.trailers[name.strip().lower()] = value.strip()
            else:
                self.messages.append(payload)

    @property
    def code(self):
        return int(self.trailers.get("grpc-status", -1))

    def details(self):
        """google.rpc.Status as text."""
        packed = self.trailers["grpc-status-details-bin"]
        return harness.protoc(
            "decode", "google.rpc.Status", base64.b64decode(packed + "=" * (-len(packed) % 4))
        ).decode()


def frame(message):
    return struct.pack(">BI", 0, len(message)) + message


def connect(address, method, message, headers=None, service=SERVICE):
    """Sends the call; the connection, whose answer is still to be read."""
    connection = http.client.HTTPConnection(address, timeout=harness.PATIENCE)
    connection.request(
        "POST",
        f"/{service}/{method}",
        body=frame(message),
        headers={
            "content-type": "application/grpc-web+proto",
            "x-grpc-web": "1",
            **(headers or {}),
        },
    )
    return connection


def call(address, method, message, headers=None, service=SERVICE):
    """The whole answer."""
    connection = connect(address, method, message, headers, service)
    try:
        response = connection.getresponse()
        return Answer(response.status, response.getheaders(), response.read())
    finally:
        connection.close()
