# SPDX-License-Identifier: Apache-2.0
"""The client. What is sent and answered is in api.py, which is generated."""
from __future__ import annotations

import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple, Union
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from .api import CancelRequest, Payment, PaymentMethod, PaymentMethodRequest, PaymentRequest, RefundRequest

_CONNECT_SECONDS = 5.0
_YEAR_SECONDS = 365 * 86_400
_IN_USE = "urn:chargeonce:problem:idempotency-key-in-use"
_NOT_FOUND = "urn:chargeonce:problem:not-found"
# Final even if an earlier sending may have been accepted: the key holds something else for good, or what is to be canceled has ended.
_FINAL = ("urn:chargeonce:problem:idempotency-key-reused", "urn:chargeonce:problem:refund-differs",
          "urn:chargeonce:problem:already-captured", "urn:chargeonce:problem:payment-declined")
_ENDED = ("succeeded", "declined", "refunded", "partially_refunded", "canceled")


@dataclass(frozen=True)
class Retries:
    """How often and how soon to send again: exponential, with full jitter. Retry-After is a minimum. Times in seconds.

    most: sends, the first included. first: the longest first pause; each next one may be twice as long.
    longest: the longest pause that jitter may choose, and the longest Retry-After that is obeyed.
    """

    most: int = 8
    first: float = 0.1
    longest: float = 30.0

    def pause(self, sends: int, retry_after: float) -> float:
        return random.uniform(0, min(self.longest, self.first * 2 ** min(sends - 1, 60))) + min(retry_after, self.longest)


USUAL = Retries()


@dataclass(frozen=True)
class Accepted:
    """Durably accepted: it is charged once, or given back once, unless it is canceled or a person ends it first.

    status is how it stands now. replay: whether an earlier sending had been accepted already.
    """

    id: str
    status: str
    replay: bool
    sends: int


@dataclass(frozen=True)
class FieldError:
    field: str
    detail: str


@dataclass(frozen=True)
class Refused:
    """Refused for good, and no sending of it was accepted: sending the same again changes nothing.

    type is such as urn:chargeonce:problem:invalid-request. detail says what to do next, for people.
    """

    http_status: int
    type: str
    detail: str
    errors: Tuple[FieldError, ...]
    sends: int


@dataclass(frozen=True)
class Unknown:
    """Not known whether it was accepted. Send it again later with the same key, never with another one."""

    last_seen: str
    sends: int


Sent = Union[Accepted, Refused, Unknown]


class ReadFailed(Exception):
    """There was no useful answer to a question, however often it was asked."""


class _NotConnected(Exception):
    """Without a connection nothing was sent."""


@dataclass(frozen=True)
class _Answer:
    status: int
    headers: http.client.HTTPMessage
    json: Dict[str, Any]

    def text(self, name: str) -> str:
        value = self.json.get(name)
        return value if isinstance(value, str) else ""

    def is_accepted(self) -> bool:
        return 200 <= self.status < 300

    def is_of_the_moment(self) -> bool:
        return self.status >= 500 or self.status in (408, 429)

    def may_change(self) -> bool:
        """Whether the same request can get another answer later. What something on the way made up has no id."""
        return (self.is_of_the_moment() or self.status == 409 and self.text("type") == _IN_USE
                or self.is_accepted() and not self.text("id"))

    def ends_doubt(self) -> bool:
        return self.is_accepted() or self.text("type") in _FINAL

    def in_words(self) -> str:
        return f"the server answered {self.status} {self.text('type')}".rstrip()

    def retry_after(self) -> float:
        """In seconds; 0 if the header is neither a number nor a date to come, in one of the three forms of RFC 9110."""
        asked = self.headers.get("Retry-After", "")
        if re.fullmatch("[0-9]+", asked):
            return float(min(int(asked[:9]), _YEAR_SECONDS))
        try:
            date = parsedate_to_datetime(asked).replace(tzinfo=timezone.utc)
        except (TypeError, ValueError):
            return 0.0
        return max(0.0, date.timestamp() - time.time())

    def sent(self, sends: int) -> Sent:
        if self.is_accepted():
            return Accepted(self.text("id"), self.headers.get("Payment-Status", self.text("status")),
                            "Idempotent-Replayed" in self.headers, sends)
        errors = self.json.get("errors")
        return Refused(self.status, self.text("type"), self.text("detail"), tuple(
            FieldError(str(error.get("field", "")), str(error.get("detail", ""))) for error in errors if isinstance(error, dict)
        ) if isinstance(errors, list) else (), sends)


def has_ended(payment: Payment) -> bool:
    """Whether the payment's status is final. A purge that a person may still undo is not."""
    return payment["status"] in _ENDED or payment["status"] == "purged" and payment.get("purge", {}).get("final") is True


class PaymentClient:
    """Sends payments until each is accepted or refused for good.

    Every repeat has the same key and the same bytes, so it is safe even if the answer to the first was lost. It repeats after no
    answer, 408, 409 in use, 429 and 5xx; other answers would not change. A payment is called refused only if no sending of it can have
    been accepted. Any thread may send.
    """

    def __init__(self, server: str, token: str, retries: Retries = USUAL, patience: float = 20.0) -> None:
        """server: its scheme, host and port. patience: seconds from a sending to the last byte of its answer."""
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the server is an address such as https://pay.example.com")
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ValueError("the token has characters that no token has")
        self._host, self._port = parts.hostname, parts.port
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        if self._tls is not None:
            self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._token = token
        self._retries = retries
        self._patience = patience

    def pay(self, key: str, payment: PaymentRequest, duplicate_guard: bool = True) -> Sent:
        """Sends a payment. Derive the key from what is paid for, so that a producer that starts again finds the same one.

        duplicate_guard: False for a payment that is meant although it looks like a recent one under another key.
        """
        return self._send("/v1/payments", payment,
                          {"Idempotency-Key": _checked(key), **({} if duplicate_guard else {"Duplicate-Guard": "off"})})

    def store_method(self, key: str, method: PaymentMethodRequest) -> Sent:
        """Stores a payment method with its token at each PSP. Its id is the accepted one's; its status says nothing."""
        return self._send("/v1/payment_methods", method, {"Idempotency-Key": _checked(key)})

    def refund(self, payment: str, refund: Optional[RefundRequest] = None) -> Sent:
        """Gives back a payment, or part of it. Payment and reference do what a key does for a payment."""
        return self._send(f"/v1/payments/{quote(payment, safe='')}/refunds", refund or {}, {})

    def cancel(self, payment: str, cancel: Optional[CancelRequest] = None) -> Sent:
        """Cancels a payment. Accepted says canceled, or canceling while it is not known whether an attempt has charged it.

        A payment that is charged or declined already is refused.
        """
        return self._send(f"/v1/payments/{quote(payment, safe='')}/cancel", cancel or {}, {})

    def find(self, payment: str) -> Optional[Payment]:
        """The payment as it stands now; None if this merchant has none of that id. Raises ReadFailed."""
        return _first(self._get(f"/v1/payments/{quote(payment, safe='')}"))

    def find_by_key(self, key: str) -> Optional[Payment]:
        """The same for what was sent under this key; None if nothing was accepted under it. Raises ReadFailed."""
        return _first(self._get(f"/v1/payments?idempotency_key={quote(key, safe='')}"))

    def find_method(self, id: str) -> Optional[PaymentMethod]:
        """A stored payment method as it stands now; None if this merchant has none of that id. Raises ReadFailed."""
        return _first(self._get(f"/v1/payment_methods/{quote(id, safe='')}"))

    def methods_of(self, customer: str) -> List[PaymentMethod]:
        """Those of a customer that are not detached, the newest first, at most a hundred. Raises ReadFailed."""
        return self._get(f"/v1/payment_methods?customer={quote(customer, safe='')}")

    def detach(self, id: str) -> Optional[PaymentMethod]:
        """Ends it, and deletes its tokens; doing it again changes nothing. None if this merchant has none of that id. Raises ReadFailed."""
        return _first(self._get(f"/v1/payment_methods/{quote(id, safe='')}", "DELETE"))

    def wait(self, payment: str, most: float) -> Optional[Payment]:
        """Waits for the end of a payment, and returns it as it stands after `most` seconds at the latest. Raises ReadFailed."""
        end = time.monotonic() + most
        looks = 1
        while True:
            seen = self.find(payment)
            pause = self._retries.pause(looks, 0)
            if seen is None or has_ended(seen) or time.monotonic() + pause >= end:
                return seen
            time.sleep(pause)
            looks += 1

    def _send(self, path: str, body: Any, headers: Dict[str, str]) -> Sent:
        content = json.dumps(body, separators=(",", ":"), allow_nan=False).encode()
        doubt: Optional[str] = None
        sends = 1
        while True:
            retry_after = 0.0
            try:
                answer = self._ask("POST", path, content, {**headers, "Content-Type": "application/json"})
                why = answer.in_words()
                if not answer.may_change():
                    return answer.sent(sends) if doubt is None or answer.ends_doubt() else Unknown(
                        f"{why}; an earlier sending may have been accepted ({doubt})", sends)
                retry_after = answer.retry_after()
                # Behind a 5xx a commit may have succeeded; a 429 comes before anything is tried.
                doubt = doubt if doubt is not None or answer.status == 429 else why
            except _NotConnected as failure:
                why = f"no answer: {failure}"
            except (OSError, http.client.HTTPException) as failure:
                why = f"no answer: {failure!r}"
                doubt = doubt if doubt is not None else why
            if sends >= self._retries.most:
                return Unknown(why, sends)
            time.sleep(self._retries.pause(sends, retry_after))
            sends += 1

    def _get(self, path: str, method: str = "GET") -> List[Any]:
        asks = 1
        while True:
            retry_after = 0.0
            try:
                answer = self._ask(method, path, None, {})
                data = answer.json.get("data")
                if answer.status == 404 and answer.text("type") == _NOT_FOUND:
                    return []
                if answer.status == 200 and isinstance(data, list):
                    return data
                if answer.status == 200 and "id" in answer.json:
                    return [answer.json]
                why = answer.in_words()
                if not answer.is_of_the_moment():
                    raise ReadFailed(why)
                retry_after = answer.retry_after()
            except (_NotConnected, OSError, http.client.HTTPException) as failure:
                why = f"no answer: {failure!r}"
            if asks >= self._retries.most:
                raise ReadFailed(why)
            time.sleep(self._retries.pause(asks, retry_after))
            asks += 1

    def _ask(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> _Answer:
        """A redirect is an answer: the token and the payment go to no other host."""
        connection: http.client.HTTPConnection = (
            http.client.HTTPConnection(self._host, self._port, timeout=_CONNECT_SECONDS) if self._tls is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=_CONNECT_SECONDS, context=self._tls))
        try:
            connection.connect()
        except (OSError, ssl.SSLError) as failure:
            connection.close()
            raise _NotConnected(f"no connection to the server came about ({failure})") from failure
        # The socket's own time limit would count from byte to byte.
        connection.sock.settimeout(None)
        late = threading.Event()
        watch = threading.Timer(self._patience, _hang_up, (connection.sock, late))
        watch.daemon = True
        watch.start()
        try:
            connection.request(method, path, body, {**headers, "Authorization": f"Bearer {self._token}"})
            response = connection.getresponse()
            content = response.read()
            return _Answer(response.status, response.headers, _parsed(content))
        except (OSError, http.client.HTTPException) as failure:
            if late.is_set():
                raise TimeoutError(f"nothing whole came within {self._patience:g} s") from failure
            raise
        finally:
            watch.cancel()
            connection.close()


def _checked(key: str) -> str:
    if not re.fullmatch(r"[\x21-\x7e]{1,255}", key):
        raise ValueError("a key is 1 to 255 visible ASCII characters")
    return key


def _first(found: List[Any]) -> Any:
    return found[0] if found else None


def _hang_up(connected: socket.socket, late: threading.Event) -> None:
    late.set()
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # It has ended meanwhile.


def _parsed(content: bytes) -> Dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
