# SPDX-License-Identifier: Apache-2.0
"""Takes a merchant's webhooks and keeps the newest revision of each operation and dispute in a SQLite file. Put a proxy with TLS
before it.

    WEBHOOK_SECRETS=whsec_... python3 receiver.py BOOK
    python3 receiver.py BOOK --show

WEBHOOK_SECRETS has a comma between two, and PORT is another port than 8088. Needs the package standardwebhooks.
"""
import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LONGEST_BODY = 64 * 1024
SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")
FIELDS = ("id", "payment_id", "kind", "status", "amount", "currency", "revision")

TABLE = """
CREATE TABLE IF NOT EXISTS settled (
    id TEXT NOT NULL PRIMARY KEY, payment_id TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, amount INTEGER, currency TEXT,
    revision INTEGER NOT NULL, happened_at TEXT NOT NULL)
"""
# An event that comes twice, is sent again by who has recorded it, or comes after a newer one changes nothing. A key that is used again
# starts at a low revision, more than a month later.
KEEP_THE_NEWEST = """
INSERT INTO settled (id, payment_id, kind, status, amount, currency, revision, happened_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET status = excluded.status, amount = excluded.amount, currency = excluded.currency,
        revision = excluded.revision, happened_at = excluded.happened_at
    WHERE CASE WHEN abs(julianday(settled.happened_at) - julianday(excluded.happened_at)) <= 30
               THEN settled.revision < excluded.revision ELSE julianday(settled.happened_at) < julianday(excluded.happened_at) END
"""


def open_book(path):
    book = sqlite3.connect(path, timeout=30)
    with book:
        book.execute(TABLE)
    return book


def keep(path, event):
    """Without a revision it is about an endpoint, or of a type that is newer than this program."""
    operation = event["data"]
    if "revision" in operation:
        book = open_book(path)
        try:
            with book:
                book.execute(KEEP_THE_NEWEST, [operation.get(field) for field in FIELDS] + [event["timestamp"]])
        finally:
            book.close()


def receiver(path, secrets, port):
    from standardwebhooks import Webhook, WebhookVerificationError

    known = [Webhook(secret) for secret in secrets]

    class Receiver(BaseHTTPRequestHandler):
        timeout = 30

        def do_POST(self):
            self.send_response(self.answer())
            self.send_header("Content-Length", "0")
            self.end_headers()

        def answer(self):
            """Any status but 2xx makes the event come again."""
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= LONGEST_BODY:
                self.close_connection = True
                return 413
            body = self.rfile.read(length)
            if not self.is_ours(body):
                return 401
            try:
                keep(path, json.loads(body))
                return 200
            except (sqlite3.Error, KeyError, ValueError) as trouble:
                print("The webhook could not be kept, and comes again:", repr(trouble), file=sys.stderr)
                return 500

        def is_ours(self, body):
            """The library also refuses what was signed more than five minutes ago."""
            signed = {name: self.headers.get(name, "") for name in SIGNED}
            for secret in known:
                try:
                    secret.verify(body, signed)
                    return True
                except (WebhookVerificationError, ValueError):
                    continue
            return False

        def log_message(self, *message):
            pass

    open_book(path).close()
    return ThreadingHTTPServer(("127.0.0.1", port), Receiver)


def show(path):
    book = open_book(path)
    try:
        return ", ".join(" ".join(str(value) for value in row if value is not None) for row in
                         book.execute("SELECT id, kind, status, amount, currency, revision FROM settled ORDER BY id"))
    finally:
        book.close()


if __name__ == "__main__":
    if sys.argv[2:] == ["--show"]:
        print(show(sys.argv[1]))
    else:
        server = receiver(sys.argv[1], os.environ["WEBHOOK_SECRETS"].split(","), int(os.environ.get("PORT", "8088")))
        print(f"Webhooks may come to http://localhost:{server.server_port}/, and are kept in {sys.argv[1]}. Ctrl-C ends it.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            server.server_close()
