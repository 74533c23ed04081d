// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static io.chargeonce.load.attack.AttackSession.PAYMENTS;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Many idle connections. Meanwhile the other merchant, PSPs and health checks must be served. */
final class CrowdAttacks {

    private CrowdAttacks() {}

    static final List<Attack> ALL = List.of(
            Attack.crowd("half-open", "connections that say nothing", siege -> crowd(siege, siege.target.ingest(), "",
                    CrowdAttacks::paying)),
            Attack.crowd("half-heads", "connections that say half a head",
                    siege -> crowd(siege, siege.target.ingest(), "POST " + PAYMENTS + " HTTP/1.1\r\nHost: x\r\n", CrowdAttacks::paying)),
            Attack.crowd("half-bodies", "payments of which half the body comes",
                    siege -> crowd(siege, siege.target.ingest(), head(siege, "", "application/json", "Content-Length: 1000"),
                            CrowdAttacks::paying)),
            Attack.crowd("idle-batches", "batches of one merchant, open and idle",
                    siege -> crowd(siege, siege.target.ingest(), head(siege, "/batch", "application/x-ndjson",
                            "Transfer-Encoding: chunked"),
                            CrowdAttacks::paying)),
            Attack.crowd("half-webhooks", "webhooks of which half the body comes", siege -> crowdAt(siege, siege.target.webhooks(),
                    WebhookAttacks.NO_ADDRESS,
                    "POST /v1/webhooks/stripe HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{", CrowdAttacks::webhook)),
            Attack.crowd("half-admin", "half requests for health", siege -> crowdAt(siege, siege.target.admin(), AdminAttacks.NO_ADDRESS,
                    "GET /health/live HTTP/1.1\r\nHost: x\r\n", CrowdAttacks::health)));

    @FunctionalInterface
    private interface Honest {
        Result ask(AttackSession siege) throws IOException;
    }

    private static String head(AttackSession siege, String path, String type, String length) {
        return "POST " + PAYMENTS + path + " HTTP/1.1\r\nHost: x\r\n" + siege.asItself() + "Idempotency-Key: " + AttackSession.newKey()
                + "\r\nContent-Type: " + type
                + "\r\n" + length + "\r\n\r\n";
    }

    private static Result crowdAt(AttackSession siege, Optional<URI> door, Result without, String says, Honest honest) throws IOException {
        return door.isEmpty() ? without : crowd(siege, door.get(), says, honest);
    }

    private static Result crowd(AttackSession siege, URI door, String says, Honest honest) throws IOException {
        int open = 0;
        try {
            for (; open < siege.target.crowd(); open++) {
                siege.open(door).offer(says);
            }
        } catch (IOException noMore) {
            // The server takes no more connections: whether others are served counts.
        }
        Result result = honest.ask(siege);
        return switch (result) {
            case Result.Held held -> new Result.Held("beside %,d: %s".formatted(open, held.answer()));
            case Result.Fell fell -> new Result.Fell("beside %,d: %s".formatted(open, fell.answer()));
            case Result.NotTried not -> not;
        };
    }

    private static Result paying(AttackSession siege) throws IOException {
        Reply other = siege.pay(siege.target.other());
        return AttackSession.judge(other.status() == 202, "another merchant's payment " + other);
    }

    /** It is not signed: what counts is that it is looked at. */
    private static Result webhook(AttackSession siege) throws IOException {
        Reply reply = siege.ask(siege.target.webhooks().orElseThrow(), "POST", "/v1/webhooks/stripe", "", "{}");
        return AttackSession.judge(reply.status() == 401, "a PSP's webhook " + reply);
    }

    private static Result health(AttackSession siege) throws IOException {
        Reply reply = siege.ask(siege.target.admin().orElseThrow(), "GET", "/health/live", "", "");
        return AttackSession.judge(reply.status() == 200 || reply.status() == 503 && reply.body().contains("status"), "health " + reply);
    }
}
