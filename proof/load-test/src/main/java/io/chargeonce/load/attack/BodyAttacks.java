// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static io.chargeonce.load.attack.AttackSession.PAYMENTS;
import static io.chargeonce.load.attack.AttackSession.json;
import static io.chargeonce.load.attack.AttackSession.newKey;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Bodies that are too large, come too slowly or say two things at once. */
final class BodyAttacks {

    private BodyAttacks() {}

    private static final int TOO_MUCH = 64 << 20;
    private static final Duration BETWEEN_BYTES = Duration.ofMillis(500);

    static final List<Attack> ALL = List.of(
            Attack.plain("body-too-large", "a payment of 1 MiB", BodyAttacks::large),
            Attack.plain("body-without-end", "chunks until the server hangs up, 64 MiB at most", BodyAttacks::endless),
            Attack.plain("chunk-too-large", "a chunk that says it has 2 GiB", BodyAttacks::largeChunk),
            Attack.plain("json-twice", "JSON with a key twice, the amount in two sizes", BodyAttacks::twice),
            Attack.plain("json-deep", "JSON 30,000 levels deep", BodyAttacks::deep),
            Attack.plain("not-utf8", "JSON in UTF-16, and a character in more bytes than it needs", BodyAttacks::notUtf8),
            Attack.plain("json-odd", "numbers, encodings and texts that programs read differently", BodyAttacks::odd),
            Attack.plain("text-turned-around", "characters that turn the text around for who reads it", BodyAttacks::turnedAround),
            Attack.slow("slow-head", "a head of which a byte comes now and then", siege -> slow(siege, "GET /v1/pay")),
            Attack.slow("slow-body", "a body of which a byte comes now and then",
                    siege -> slow(siege, post(siege, "application/json") + "Content-Length: 1000\r\n\r\n{")),
            Attack.slow("slow-chunk", "a chunk's size of which a digit comes now and then",
                    siege -> slow(siege, post(siege, "application/json") + "Transfer-Encoding: chunked\r\n\r\n0")),
            Attack.slow("slow-webhook", "a webhook of which a byte comes now and then", BodyAttacks::slowWebhook),
            Attack.slow("slow-admin", "a request for health of which a byte comes now and then", BodyAttacks::slowAdmin));

    private static String post(AttackSession siege, String type) {
        return "POST " + PAYMENTS + " HTTP/1.1\r\nHost: localhost\r\n" + siege.asItself() + "Idempotency-Key: " + newKey()
                + "\r\nContent-Type: "
                + type + "\r\n";
    }

    private static Result large(AttackSession siege) throws IOException {
        return AttackSession
                .refused(siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()), AttackSession.honest() + " ".repeat(1 << 20)));
    }

    private static Result endless(AttackSession siege) throws IOException {
        String chunk = "8000\r\n" + " ".repeat(0x8000) + "\r\n";
        long sent = 0;
        try (AttackWire wire = siege.open(siege.target.ingest())) {
            wire.send(post(siege, "application/json") + "Transfer-Encoding: chunked\r\n\r\n");
            try {
                while (sent < TOO_MUCH) {
                    wire.send(chunk);
                    sent += chunk.length();
                }
            } catch (IOException hungUp) {
                return new Result.Held("closed after %,d KiB".formatted(sent >> 10));
            }
        }
        return new Result.Fell("it took %,d MiB".formatted(sent >> 20));
    }

    private static Result largeChunk(AttackSession siege) throws IOException {
        return AttackSession.refused(siege.say(post(siege, "application/json") + "Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n{"));
    }

    private static Result refused(AttackSession siege, List<String> bodies) throws IOException {
        var several = new Several();
        for (String body : bodies) {
            several.add(body, siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()), body));
        }
        return several.result();
    }

    private static Result twice(AttackSession siege) throws IOException {
        return refused(siege,
                List.of(AttackSession.honest().replace("}", ",\"amount\":1}"), AttackSession.honest().replace("}", ",\"amount\":1299}"),
                        AttackSession.honest().replace("}", ",\"\\u0061mount\":1}"), AttackSession.honest() + AttackSession.honest(),
                        "[" + AttackSession.honest() + "]"));
    }

    private static Result deep(AttackSession siege) throws IOException {
        return refused(siege, List.of("[".repeat(30_000), AttackSession.honest().replace("}", ",\"x\":" + "{\"a\":".repeat(5_000) + "1"
                + "}".repeat(5_001))));
    }

    private static Result notUtf8(AttackSession siege) throws IOException {
        var several = new Several();
        // What is said is sent as ISO-8859-1, one byte for each character.
        for (String body : List.of(new String(AttackSession.honest().getBytes(StandardCharsets.UTF_16LE), StandardCharsets.ISO_8859_1),
                AttackSession.honest().replace("pm_card_visa", "pm\u00c0\u00afx"))) {
            several.add(body, siege.say(post(siege, "application/json") + "Content-Length: " + body.length() + "\r\n\r\n" + body));
        }
        return several.result();
    }

    private static Result odd(AttackSession siege) throws IOException {
        String honest = AttackSession.honest();
        return refused(siege, List.of(honest.replace("1299", "-1"), honest.replace("1299", "0"), honest.replace("1299", "12.99"),
                honest.replace("1299", "NaN"), honest.replace("1299", "1e99"), honest.replace("1299", "99999999999999999999"),
                honest.replace("1299", "\"1299\""), honest.replace("1299", "true"), honest.replace("1299", "[1299]"),
                honest.replace("EUR", "eur"), honest.replace("EUR", "EU\\u0000R"), honest.replace("\"pm_card_visa\"", "null"),
                honest.replace("pm_card_visa", "x\\u0000y"), honest.replace("pm_card_visa", "\\ud800"),
                honest.replace("pm_card_visa", "x".repeat(600)), honest.replace("}", "//\n}"), honest.replace("\"", "'"), "", "null",
                "{}"));
    }

    private static Result turnedAround(AttackSession siege) throws IOException {
        String honest = AttackSession.honest();
        var bodies = new ArrayList<String>();
        for (char turn : new char[] {'\u202a', '\u202d', '\u202e', '\u2066', '\u2068', '\u200f', '\u061c'}) {
            bodies.add(honest.replace("attack-", "attack" + turn));
            bodies.add(honest.replace("}", ",\"customer\":\"x" + turn + "y\"}"));
            bodies.add(honest.replace("}", ",\"description\":\"x\\u%04xy\"}".formatted((int) turn)));
        }
        return refused(siege, bodies);
    }

    private static Result slow(AttackSession siege, String begin) throws Exception {
        try (AttackWire wire = siege.open(siege.target.ingest())) {
            return cut(wire.send(begin), siege.target.patience());
        }
    }

    private static Result slowWebhook(AttackSession siege) throws Exception {
        if (siege.target.webhooks().isEmpty()) {
            return WebhookAttacks.NO_ADDRESS;
        }
        try (AttackWire wire = siege.open(siege.target.webhooks().get())) {
            return cut(wire.send("POST /v1/webhooks/stripe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{"),
                    siege.target.patience());
        }
    }

    private static Result slowAdmin(AttackSession siege) throws Exception {
        if (siege.target.admin().isEmpty()) {
            return AdminAttacks.NO_ADDRESS;
        }
        try (AttackWire wire = siege.open(siege.target.admin().get())) {
            return cut(wire.send("GET /health/l"), siege.target.patience());
        }
    }

    /** A byte now and then; it is wanted that the server answers or hangs up. */
    private static Result cut(AttackWire wire, Duration patience) {
        long begun = System.nanoTime();
        while (System.nanoTime() - begun < patience.toNanos()) {
            if (wire.ends(BETWEEN_BYTES)) {
                return new Result.Held("cut after %d s".formatted((System.nanoTime() - begun) / 1_000_000_000));
            }
            wire.offer("0");
        }
        return new Result.Fell("still waited for after %d s".formatted(patience.toSeconds()));
    }
}
