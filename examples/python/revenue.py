#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps each merchant's revenue by currency from payments.outcomes, and counts each event once.

An event's id is stored in the transaction that counts it. The book is a SQLite file, so the example needs no server; with Postgres the
statements are the same, with %s for ?.

    python3 revenue.py BOOK           reads until Ctrl-C; settings from the environment: KAFKA, GROUP, TOPIC
    python3 revenue.py BOOK --show    prints the book as JSON

Needs confluent-kafka to read from Kafka, and nothing else.
"""
import json
import os
import signal
import sqlite3
import sys

# Reversals are not here: they give back money that no event announced.
SIGNS = {"io.chargeonce.payment.succeeded": 1, "io.chargeonce.refund.succeeded": -1, "io.chargeonce.refund.failed": 1,
         "io.chargeonce.return.succeeded": -1}

TABLES = """
CREATE TABLE IF NOT EXISTS seen_event (ce_source TEXT, ce_id TEXT, seen_at TEXT DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY (ce_source, ce_id));
CREATE TABLE IF NOT EXISTS revenue (merchant TEXT, currency TEXT, minor_units INTEGER NOT NULL, PRIMARY KEY (merchant, currency));
"""
REMEMBER = "INSERT INTO seen_event (ce_source, ce_id) VALUES (?, ?) ON CONFLICT DO NOTHING"
ADD = """
INSERT INTO revenue (merchant, currency, minor_units) VALUES (?, ?, ?)
ON CONFLICT (merchant, currency) DO UPDATE SET minor_units = revenue.minor_units + excluded.minor_units
"""


def open_book(path):
    """Several processes may share a book: each waits for the others' transactions."""
    book = sqlite3.connect(path, timeout=60, isolation_level=None)
    book.executescript(TABLES)
    return book


def apply(book, headers, value):
    """Counts an event, unless it was counted before. Returns after the commit, and says whether the event was new and counted."""
    kind = headers.get("ce_type", "")
    sign = SIGNS.get(kind)
    if sign is None:
        return False  # New types may appear at any time.
    schema = headers.get("ce_dataschema")
    if schema != "urn:chargeonce:schema:" + kind.removeprefix("io.chargeonce.") + ":1":
        # This program is too old for the event. Passing it over would lose money.
        raise ValueError(f"{kind} has the schema {schema}. Update this program, and start it again.")
    event = json.loads(value)
    book.execute("BEGIN IMMEDIATE")
    try:
        fresh = book.execute(REMEMBER, (headers["ce_source"], headers["ce_id"])).rowcount == 1
        if fresh:
            book.execute(ADD, (event["merchant"], event["currency"], sign * event["amount"]))
        book.execute("COMMIT")
        return fresh
    except BaseException:
        book.execute("ROLLBACK")
        raise


def show(book):
    """The book as plain data."""
    revenue = book.execute("SELECT merchant, currency, minor_units FROM revenue ORDER BY merchant, currency").fetchall()
    return {"events": book.execute("SELECT count(*) FROM seen_event").fetchone()[0],
            "revenue": {f"{merchant} {currency}": units for merchant, currency, units in revenue}}


def run(book):
    """Without automatic commits: an offset is committed only after the events below it are in the book."""
    from confluent_kafka import Consumer, KafkaError, KafkaException  # pylint: disable=import-outside-toplevel

    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, lambda *_: sys.exit(0))
    consumer = Consumer({"bootstrap.servers": os.environ.get("KAFKA", "127.0.0.1:19092"),
                         "group.id": os.environ.get("GROUP", "revenue-python"), "auto.offset.reset": "earliest",
                         "enable.auto.commit": False, "isolation.level": "read_committed"})
    topic = os.environ.get("TOPIC", "payments.outcomes")
    consumer.subscribe([topic])
    print(f"Reading {topic} into the book. Ctrl-C ends it.", flush=True)
    # Another member has the partitions now. It reads the events again, and drops them.
    moved = (KafkaError.ILLEGAL_GENERATION, KafkaError.UNKNOWN_MEMBER_ID, KafkaError.REBALANCE_IN_PROGRESS)
    try:
        while True:
            messages = consumer.consume(500, timeout=1)
            for message in messages:
                if message.error():
                    if message.error().retriable():
                        continue
                    raise KafkaException(message.error())
                headers = {name: text.decode() for name, text in message.headers() or []}
                apply(book, headers, message.value())
            if any(not message.error() for message in messages):
                try:
                    consumer.commit(asynchronous=False)
                except KafkaException as problem:
                    if problem.args[0].code() not in moved:
                        raise
    finally:
        consumer.close()


if __name__ == "__main__":
    opened = open_book(sys.argv[1])
    if sys.argv[2:] == ["--show"]:
        print(json.dumps(show(opened)))
    else:
        run(opened)
