# SPDX-License-Identifier: Apache-2.0
"""Sends payments to Chargeonce: the same key until there is an answer. Needs Python 3.9 and nothing else."""
from .client import USUAL, PaymentClient, ReadFailed, Retries, has_ended
from .sending import Accepted, FieldError, Refused, Sent, Unknown

__all__ = ["USUAL", "Accepted", "FieldError", "PaymentClient", "ReadFailed", "Refused", "Retries", "Sent", "Unknown", "has_ended"]
