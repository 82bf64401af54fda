"""An S3 server on loopback, one new bucket for each who asks."""

from __future__ import annotations

import contextlib
import logging
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import boto3
from moto.server import ThreadedMotoServer


@dataclass
class Buckets:
    endpoint: str

    @classmethod
    @contextlib.contextmanager
    def served(cls) -> Iterator[Buckets]:
        server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
        server.start()
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        try:
            host, port = server.get_host_and_port()
            yield cls(f"http://{host}:{port}")
        finally:
            server.stop()

    @property
    def options(self) -> dict[str, str]:
        return {
            "aws_access_key_id": "test",
            "aws_secret_access_key": "test",
            "aws_region": "us-east-1",
            "aws_endpoint": self.endpoint,
            "allow_http": "true",
        }

    def new(self) -> str:
        """The uri of an empty prefix."""
        name = f"bucket-{uuid.uuid4().hex}"
        self.client().create_bucket(Bucket=name)
        return f"s3://{name}/beliefs"

    def client(self):
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    def objects(self, uri: str) -> dict[str, bytes]:
        """Every object of the bucket of ``uri``, by key."""
        bucket = uri.removeprefix("s3://").split("/")[0]
        client = self.client()
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return {
            found["Key"]: client.get_object(Bucket=bucket, Key=found["Key"])["Body"].read()
            for page in pages
            for found in page.get("Contents", ())
        }
