# SPDX-License-Identifier: Apache-2.0
"""What became of a sending, and what each answer says about it."""
from __future__ import annotations

import http.client
import json
import re
import time
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Optional, Tuple, Union

_YEAR_SECONDS = 365 * 86_400
_IN_USE = "urn:chargeonce:problem:idempotency-key-in-use"
# Final even if an earlier sending may have been accepted: the key holds something else for good, or what is to be canceled has ended.
_FINAL = ("urn:chargeonce:problem:idempotency-key-reused", "urn:chargeonce:problem:refund-differs",
          "urn:chargeonce:problem:already-captured", "urn:chargeonce:problem:payment-declined")


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


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    json: Dict[str, Any]

    @classmethod
    def of_line(cls, line: bytes) -> Tuple[int, Answer]:
        """Which payment of a batch it is about, from 1, and its answer. Raises HTTPException if the line is none."""
        found = parsed(line)
        number, status, texts, body = (found.get(name) for name in ("line", "status", "headers", "body"))
        if not (isinstance(number, int) and isinstance(status, int) and isinstance(texts, dict) and isinstance(body, dict)):
            raise http.client.HTTPException("a line of the answers is no answer to a payment")
        headers = http.client.HTTPMessage()
        for name, text in texts.items():
            headers[name] = str(text)
        return number, cls(status, headers, body)

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


class Sending:
    """One payment on its way, or what else is sent until there is an answer."""

    def __init__(self, body: Any) -> None:
        self.content = json.dumps(body, separators=(",", ":"), allow_nan=False).encode()
        self.sent: Optional[Sent] = None
        self.answered = 0  # The last sending that had an answer.
        self._doubt: Optional[str] = None

    def take(self, answer: Answer, sends: int) -> None:
        self.answered = sends
        if answer.may_change():
            # Behind a 5xx a commit may have succeeded; a 429 comes before anything is tried.
            if answer.status != 429:
                self.may_be_accepted(answer.in_words())
        elif self.sent is None:
            self.sent = answer.sent(sends) if self._doubt is None or answer.ends_doubt() else Unknown(
                f"{answer.in_words()}; an earlier sending may have been accepted ({self._doubt})", sends)

    def may_be_accepted(self, why: str) -> None:
        self._doubt = self._doubt if self._doubt is not None else why


def parsed(content: bytes) -> Dict[str, Any]:
    try:
        found = json.loads(content)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
