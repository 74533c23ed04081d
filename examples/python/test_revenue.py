# SPDX-License-Identifier: Apache-2.0
"""What revenue.py does with recorded events. Needs Python alone: python3 -m unittest"""
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import revenue

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorded-outcomes.ndjson")

SILENT_KAFKA = """
import time
KafkaException = Exception
class KafkaError:
    ILLEGAL_GENERATION = UNKNOWN_MEMBER_ID = REBALANCE_IN_PROGRESS = 0
class Consumer:
    def __init__(self, settings): pass
    def subscribe(self, topics): pass
    def consume(self, most, timeout): time.sleep(timeout); return []
    def close(self): pass
"""


def recorded():
    with open(RECORDED, encoding="utf-8") as lines:
        return [(event["headers"], json.dumps(event["value"])) for event in map(json.loads, lines)]


class RevenueTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "book")
        self.book = revenue.open_book(self.path)
        self.addCleanup(self.book.close)

    def read(self):
        return [revenue.apply(self.book, headers, value) for headers, value in recorded()]

    def test_each_event_counts_once(self):
        self.read()
        once = revenue.show(self.book)
        self.assertEqual(once, {"events": 6, "revenue": {"acme EUR": 1299 - 500 + 700 - 700 + 500, "acme JPY": 2500}})
        self.assertNotIn(True, self.read())
        self.assertEqual(revenue.show(self.book), once)

    def test_an_event_that_cannot_be_counted_is_not_remembered(self):
        headers, value = recorded()[0]
        self.book.execute("CREATE TRIGGER full BEFORE INSERT ON revenue BEGIN SELECT RAISE(ABORT, 'full'); END")
        with self.assertRaises(sqlite3.IntegrityError):
            revenue.apply(self.book, headers, value)
        self.book.execute("DROP TRIGGER full")
        self.assertTrue(revenue.apply(self.book, headers, value))

    def test_another_version_of_the_schema_stops_it(self):
        headers, value = recorded()[0]
        with self.assertRaises(ValueError):
            revenue.apply(self.book, {**headers, "ce_dataschema": "urn:chargeonce:schema:payment.succeeded:2"}, value)
        self.assertEqual(revenue.show(self.book)["events"], 0)

    def test_an_unknown_type_is_passed_over(self):
        headers, value = recorded()[0]
        self.assertFalse(revenue.apply(self.book, {**headers, "ce_type": "io.chargeonce.payment.praised"}, value))

    def test_ctrl_c_ends_it_without_a_traceback(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "confluent_kafka.py"), "w", encoding="utf-8") as module:
            module.write(SILENT_KAFKA)
        with subprocess.Popen([sys.executable, revenue.__file__, self.path], env={**os.environ, "PYTHONPATH": folder.name}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as example:
            self.assertIn("Ctrl-C ends it", example.stdout.readline())
            example.send_signal(signal.SIGINT)
            _, told = example.communicate(timeout=60)
        self.assertEqual((example.returncode, told), (0, ""))


if __name__ == "__main__":
    unittest.main()
