# SPDX-License-Identifier: Apache-2.0
"""Runs the commands on standard input with the Python client: one a line as JSON, one answer a line."""
import json
import pathlib
import sys
from dataclasses import asdict

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "python"))
import chargeonce  # noqa: E402
import chargeonce.api  # noqa: E402,F401

client = chargeonce.PaymentClient(sys.argv[1], sys.argv[2], chargeonce.Retries(5, 0.001, 5.0), 1.0)
NAMES = {"http_status": "httpStatus", "last_seen": "lastSeen"}


def run(command):
    what = command["do"]
    if what == "pay":
        return client.pay(command["key"], command["body"], duplicate_guard=command.get("guard", True))
    if what == "pay_all":
        return client.pay_all(command["body"], duplicate_guard=command.get("guard", True))
    if what == "refund":
        return client.refund(command["payment"], command.get("body"))
    if what == "cancel":
        return client.cancel(command["payment"], command.get("body"))
    if what == "find":
        return client.find(command["payment"])
    if what == "find_by_key":
        return client.find_by_key(command["key"])
    if what == "store":
        return client.store_method(command["key"], command["body"])
    if what == "find_method":
        return client.find_method(command["method"])
    if what == "methods_of":
        return client.methods_of(command["customer"])
    if what == "detach":
        return client.detach(command["method"])
    return client.wait(command["payment"], command["most"])


def shown(answer):
    if isinstance(answer, (chargeonce.Accepted, chargeonce.Refused, chargeonce.Unknown)):
        fields = {NAMES.get(name, name): value for name, value in asdict(answer).items()}
        return {"kind": type(answer).__name__.lower(), **fields}
    if isinstance(answer, list):
        return [shown(one) for one in answer]
    return answer


for line in sys.stdin:
    try:
        answer = shown(run(json.loads(line)))
    except Exception as failure:  # Whatever it is, the test wants to see it.
        answer = {"failure": f"{type(failure).__name__}: {failure}"}
    print(json.dumps(answer), flush=True)
