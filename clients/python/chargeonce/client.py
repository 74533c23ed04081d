# SPDX-License-Identifier: Apache-2.0
"""The client. What is sent and answered is in api.py, which is generated."""
from __future__ import annotations

import http.client
import random
import re
import socket
import ssl
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple
from urllib.parse import quote, urlsplit

from .sending import Answer, Sending, Sent, Unknown, parsed

if TYPE_CHECKING:
    from .api import BatchRequestLine, CancelRequest, Payment, PaymentMethod, PaymentMethodRequest, PaymentRequest, RefundRequest

_CONNECT_SECONDS = 5.0
# So few that their answers fit into the buffers on the way: the server answers while it still reads.
_LINES = 100
_NOT_FOUND = "urn:chargeonce:problem:not-found"
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


class ReadFailed(Exception):
    """There was no useful answer to a question, however often it was asked."""


class _NotConnected(Exception):
    """Without a connection nothing was sent."""


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
        """server: its scheme, host and port.

        patience: seconds from a sending to the last byte of its answer; in the answers to a batch, from one byte to the next.
        """
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("the server is an address such as https://pay.example.com")
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise ValueError("the token has characters that no token has")
        self._host, self._port = parts.hostname, parts.port
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        if self._tls is not None:
            self._tls.minimum_version = ssl.TLSVersion.TLSv1_2
        self._authorization = {"Authorization": f"Bearer {token}"}
        self._retries = retries
        self._patience = patience

    def pay(self, key: str, payment: PaymentRequest, duplicate_guard: bool = True) -> Sent:
        """Sends a payment. Derive the key from what is paid for, so that a producer that starts again finds the same one.

        duplicate_guard: False for a payment that is meant although it looks like a recent one under another key.
        """
        return self._send("/v1/payments", payment, {"Idempotency-Key": _checked(key), **_guard(duplicate_guard)})

    def pay_all(self, payments: Sequence[BatchRequestLine], duplicate_guard: bool = True) -> List[Sent]:
        """Sends payments together, each under its own key, a hundred to a request.

        Only those whose answer was lost or may still change are sent again. The answers are in the order of the payments.

        duplicate_guard: as for one payment, for all of them.
        """
        for payment in payments:
            _checked(payment["idempotency_key"])
        answers: List[Sent] = []
        for start in range(0, len(payments), _LINES):
            answers += self._until_answered([Sending(payment) for payment in payments[start:start + _LINES]],
                                            lambda unanswered, sends: self._send_lines(unanswered, sends, _guard(duplicate_guard)))
        return answers

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
        one = Sending(body)

        def send(_: List[Sending], sends: int) -> Tuple[str, float]:
            answer = self._ask("POST", path, one.content, {**headers, "Content-Type": "application/json"})
            one.take(answer, sends)
            return answer.in_words(), answer.retry_after()

        return self._until_answered([one], send)[0]

    def _until_answered(self, sendings: List[Sending], send: Callable[[List[Sending], int], Tuple[str, float]]) -> List[Sent]:
        """send: sends those that are still unanswered and gives each its answer; raises if not all answers came."""
        sends = 1
        while True:
            unanswered = [one for one in sendings if one.sent is None]
            retry_after = 0.0
            try:
                why, retry_after = send(unanswered, sends)
            except _NotConnected as failure:
                why = f"no answer: {failure}"
            except (OSError, http.client.HTTPException) as failure:
                why = f"no answer: {failure!r}"
                for one in unanswered:
                    if one.answered < sends:
                        one.may_be_accepted(why)
            answers = [one.sent or Unknown(why, sends) for one in sendings]
            if sends >= self._retries.most or all(one.sent for one in sendings):
                return answers
            time.sleep(self._retries.pause(sends, retry_after))
            sends += 1

    def _send_lines(self, unanswered: List[Sending], sends: int, guard: Dict[str, str]) -> Tuple[str, float]:
        """If the connection breaks, the answers before count."""
        why, retry_after = "", 0.0

        def take(one: Sending, answer: Answer) -> None:
            nonlocal why, retry_after
            one.take(answer, sends)
            why = answer.in_words() if one.sent is None else why
            retry_after = max(retry_after, answer.retry_after())

        with self._connected() as connection:
            connection.sock.settimeout(self._patience)
            connection.request("POST", "/v1/payments/batch", b"".join(one.content + b"\n" for one in unanswered),
                               {**guard, **self._authorization, "Content-Type": "application/x-ndjson"})
            response = connection.getresponse()
            if response.status != 200:
                refusal = Answer(response.status, response.headers, parsed(response.read()))
                for one in unanswered:
                    take(one, refusal)
                return why, retry_after
            for line in response:
                number, answer = Answer.of_line(line)
                if not 1 <= number <= len(unanswered):
                    raise http.client.HTTPException("a line of the answers is no answer to a payment that was sent")
                take(unanswered[number - 1], answer)
        if any(one.answered < sends for one in unanswered):
            raise http.client.HTTPException("the answers ended before all were there")
        return why, retry_after

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

    @contextmanager
    def _connected(self) -> Iterator[http.client.HTTPConnection]:
        connection: http.client.HTTPConnection = (
            http.client.HTTPConnection(self._host, self._port, timeout=_CONNECT_SECONDS) if self._tls is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=_CONNECT_SECONDS, context=self._tls))
        try:
            try:
                connection.connect()
            except (OSError, ssl.SSLError) as failure:
                raise _NotConnected(f"no connection to the server came about ({failure})") from failure
            yield connection
        finally:
            connection.close()

    def _ask(self, method: str, path: str, body: Optional[bytes], headers: Dict[str, str]) -> Answer:
        """A redirect is an answer: the token and the payment go to no other host."""
        with self._connected() as connection:
            # The socket's own time limit would count from byte to byte.
            connection.sock.settimeout(None)
            late = threading.Event()
            watch = threading.Timer(self._patience, _hang_up, (connection.sock, late))
            watch.daemon = True
            watch.start()
            try:
                connection.request(method, path, body, {**headers, **self._authorization})
                response = connection.getresponse()
                content = response.read()
                return Answer(response.status, response.headers, parsed(content))
            except (OSError, http.client.HTTPException) as failure:
                if late.is_set():
                    raise TimeoutError(f"nothing whole came within {self._patience:g} s") from failure
                raise
            finally:
                watch.cancel()


def _guard(duplicate_guard: bool) -> Dict[str, str]:
    return {} if duplicate_guard else {"Duplicate-Guard": "off"}


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
