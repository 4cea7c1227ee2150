# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A name server for one name, whose addresses change as a test says: enough of DNS for a client
that looks up replicas."""

import socket
import struct
import threading

A = 1


class NameServer:
    """Answers on a free UDP port while it is used as a context."""

    def __init__(self, name, addresses):
        self._labels = name.lower().encode().split(b".")
        self.addresses = addresses
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._socket.getsockname()[1]
        self.asked = 0

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._socket.close()

    def _serve(self):
        while True:
            try:
                query, peer = self._socket.recvfrom(512)
                self._socket.sendto(self._answer(query), peer)
            except OSError:
                return

    def _answer(self, query):
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].lower())
            at += 1 + query[at]
        (kind,) = struct.unpack(">H", query[at + 1 : at + 3])
        question = query[12 : at + 5]
        known = labels == self._labels
        records = self.addresses if known and kind == A else []
        self.asked += known and kind == A
        flags = 0x8580 if known else 0x8583  # an answer with authority; no such name
        head = query[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0)
        body = b"".join(
            b"\xc0\x0c" + struct.pack(">HHIH", A, 1, 1, 4) + socket.inet_aton(address)
            for address in records
        )
        return head + question + body
