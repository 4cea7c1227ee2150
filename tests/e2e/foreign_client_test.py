# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
"""A client that is not ours: finds the service by reflection and calls it.

Needs the PyPI packages grpcio-reflection and protobuf; skipped where they are not installed.
"""

import unittest

import harness
import solve_requests as requests

try:
    import grpc
    from google.protobuf import descriptor_pool, json_format, message_factory
    from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
        ProtoReflectionDescriptorDatabase,
    )
except ImportError as missing:
    raise unittest.SkipTest(f"no foreign client: {missing}; pip install grpcio-reflection")


class Foreign(harness.TestCase):
    def test_reflection_then_solve(self):
        with harness.Server() as server, grpc.insecure_channel(server.address) as channel:
            database = ProtoReflectionDescriptorDatabase(channel)
            services = set(database.get_services())
            self.assertIn("ikstream.v1.IkService", services)
            self.assertIn("grpc.health.v1.Health", services)
            pool = descriptor_pool.DescriptorPool(database)
            method = pool.FindServiceByName("ikstream.v1.IkService").FindMethodByName("Solve")
            ask = message_factory.GetMessageClass(method.input_type)
            answer = message_factory.GetMessageClass(method.output_type)
            call = channel.unary_unary(
                "/ikstream.v1.IkService/Solve",
                request_serializer=ask.SerializeToString,
                response_deserializer=answer.FromString,
            )
            request = requests.arm(bones=3, target=(1.1, 1.3, 0.4))
            reply = call(json_format.ParseDict(request, ask()), timeout=60)
            told = json_format.MessageToDict(reply, preserving_proto_field_name=True)
            reached = requests.end_position(request, told)
            self.assertLess(requests.distance(reached, (1.1, 1.3, 0.4)), 0.01)


if __name__ == "__main__":
    unittest.main()
