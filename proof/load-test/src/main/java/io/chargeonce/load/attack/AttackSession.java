// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One attack under way: its requests to the target, and its connections, which end with it. One thread; closed by any. */
final class AttackSession implements AutoCloseable {

    static final String PAYMENTS = "/v1/payments";
    /** An answer to an honest request takes milliseconds. */
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final Pattern ID = Pattern.compile("\"id\"\\s*:\\s*\"(pay_[a-z2-7]+)\"");

    final AttackTarget target;
    private final Queue<AttackWire> wires = new ConcurrentLinkedQueue<>();
    private volatile boolean closed;

    AttackSession(AttackTarget target) {
        this.target = target;
    }

    private Duration soon() {
        return target.patience().compareTo(LONGEST) < 0 ? target.patience() : LONGEST;
    }

    AttackWire open(URI address) throws IOException {
        return kept(AttackWire.to(address));
    }

    private AttackWire kept(AttackWire wire) {
        wires.add(wire);
        if (closed) {
            wire.close();
        }
        return wire;
    }

    /** A whole request, as a client sends it; the body in UTF-8. */
    Reply ask(String method, String path, String headers, String body) throws IOException {
        return ask(target.ingest(), method, path, headers, body);
    }

    Reply ask(URI address, String method, String path, String headers, String body) throws IOException {
        int length = body.getBytes(StandardCharsets.UTF_8).length;
        String latin = new String(body.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        try (AttackWire wire = kept(AttackWire.fromAnywhereTo(address))) {
            return wire.offer("%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s"
                    .formatted(method, path, headers, length, latin)).answer(soon());
        }
    }

    /** These very bytes, and all that comes back. */
    Reply say(URI address, String bytes) throws IOException {
        try (AttackWire wire = kept(AttackWire.fromAnywhereTo(address))) {
            return wire.offer(bytes).untilClosed(soon());
        }
    }

    Reply say(String bytes) throws IOException {
        return say(target.ingest(), bytes);
    }

    static String as(String token) {
        return "Authorization: Bearer " + token + "\r\n";
    }

    String asItself() {
        return as(target.token());
    }

    static String json(String key) {
        return "Content-Type: application/json\r\nIdempotency-Key: " + key + "\r\n";
    }

    static String newKey() {
        return "attack-x" + UUID.randomUUID();
    }

    /** A payment in whose reference no other is. */
    static String honest() {
        return "{\"amount\":1299,\"currency\":\"EUR\",\"payment_method\":\"pm_card_visa\",\"reference\":\"%s\"}".formatted(newKey());
    }

    Reply pay(String token) throws IOException {
        return ask("POST", PAYMENTS, as(token) + json(newKey()), honest());
    }

    /** The id of a new payment of the other merchant. */
    String paymentOfTheOther() throws IOException {
        return idOf(pay(target.other()));
    }

    static String idOf(Reply reply) throws IOException {
        Matcher id = ID.matcher(reply.text());
        if (reply.status() != 202 || !id.find()) {
            throw new IOException("an honest payment was answered with " + reply);
        }
        return id.group(1);
    }

    /** It held if each of these was refused. */
    static Result refused(Reply reply) {
        return judge(reply.refused(), reply.toString());
    }

    static Result judge(boolean held, String answer) {
        return held ? new Result.Held(answer) : new Result.Fell(answer);
    }

    @Override
    public void close() {
        closed = true;
        wires.forEach(AttackWire::close);
        wires.clear();
    }
}
