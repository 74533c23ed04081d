# SPDX-License-Identifier: Apache-2.0
"""Sends payments to Chargeonce: the same key until there is an answer. Needs Python 3.9 and nothing else."""
from .client import USUAL, Accepted, FieldError, PaymentClient, ReadFailed, Refused, Retries, Sent, Unknown, has_ended

__all__ = ["USUAL", "Accepted", "FieldError", "PaymentClient", "ReadFailed", "Refused", "Retries", "Sent", "Unknown", "has_ended"]
