// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static io.chargeonce.load.attack.AttackSession.PAYMENTS;
import static io.chargeonce.load.attack.AttackSession.json;
import static io.chargeonce.load.attack.AttackSession.newKey;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.util.List;

/** HTTP that two programs may read in two ways, or that means nothing. */
final class HttpAttacks {

    private HttpAttacks() {}

    private static final String PLANTED = "X-Planted-By-Attack";

    static final List<Attack> ALL = List.of(
            Attack.plain("smuggling", "a second request inside a body of two lengths", HttpAttacks::smuggled),
            Attack.plain("framings", Framings.ALL.size() + " ways to say where a request ends, each before another request",
                    siege -> Framings.play(siege, Framings.Door.ingest(siege.target.ingest())).result()),
            Attack.plain("odd-headers", "folded, nameless, blank and repeated headers", HttpAttacks::oddHeaders),
            Attack.plain("headers-too-large", "a header of 64 KiB, 5,000 headers, a path of 64 KiB", HttpAttacks::large),
            Attack.plain("odd-methods", "TRACE, CONNECT and others", HttpAttacks::methods),
            Attack.plain("odd-versions", "HTTP/0.9, 1.0, 3.0 and the preface of HTTP/2", HttpAttacks::versions),
            Attack.plain("odd-paths", "dots, slashes, escapes and zeros in paths, without a token", HttpAttacks::paths),
            Attack.plain("odd-keys", "an Idempotency-Key with control characters, twice, without end", HttpAttacks::keys),
            Attack.plain("split-answer", "line breaks that would begin a header of the answer", HttpAttacks::split),
            Attack.plain("log-lines", "line breaks that would begin a line of the log", HttpAttacks::logLines));

    private static Result smuggled(AttackSession siege) throws IOException {
        String second = "POST " + PAYMENTS + " HTTP/1.1\r\nHost: x\r\n" + siege.asItself() + json(newKey()) + "Content-Length: 2\r\n\r\n{}";
        var several = new Several();
        for (String lengths : List.of("Content-Length: 2\r\nContent-Length: %d\r\n", "Content-Length: 2, %d\r\n", "Content-Length: +2\r\n",
                "Content-Length: 0x2\r\n", "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
                "Transfer-Encoding: gzip, chunked\r\n", "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n",
                "Transfer-Encoding: chunked, identity\r\nContent-Length: 2\r\n", "Transfer-Encoding : chunked\r\nContent-Length: 2\r\n",
                "Content-Length : 2\r\n", "Content-Length: -1\r\n", "Content-Length: 99999999999999999999\r\n")) {
            Reply reply = siege.say("POST " + PAYMENTS + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + siege.asItself() + json(newKey())
                    + lengths.formatted(second.length()) + "\r\n{}" + second);
            several.add(lengths, reply.refused() && reply.answers() <= 1, reply + (reply.answers() > 1 ? " and a second answer" : ""));
        }
        return several.result();
    }

    /** Of a request that would be accepted without the header. */
    private static Reply with(AttackSession siege, String headers) throws IOException {
        return siege.ask("POST", PAYMENTS, siege.asItself() + headers, AttackSession.honest());
    }

    private static Result oddHeaders(AttackSession siege) throws IOException {
        var several = new Several();
        for (String odd : List.of("X-A: b\r\n folded: c\r\n", ": nameless\r\n", "X A: b\r\n", "no colon\r\n", "X-A: b\0c\r\n")) {
            several.add(odd, with(siege, json(newKey()) + odd));
        }
        several.add("two tokens", with(siege, json(newKey()) + siege.asItself()));
        several.add("two types", with(siege, json(newKey()) + "Content-Type: text/plain\r\n"));
        several.add("gzip", with(siege, json(newKey()) + "Content-Encoding: gzip\r\n"));
        return several.result();
    }

    private static Result large(AttackSession siege) throws IOException {
        var several = new Several();
        several.add("a header", with(siege, json(newKey()) + "X-A: " + "a".repeat(64 << 10) + "\r\n"));
        several.add("headers", with(siege, json(newKey()) + "a: b\r\n".repeat(5_000)));
        several.add("a path", siege.ask("GET", "/v1/" + "a".repeat(64 << 10), siege.asItself(), ""));
        return several.result();
    }

    private static Result methods(AttackSession siege) throws IOException {
        var several = new Several();
        for (String method : List.of("TRACE", "CONNECT", "PUT", "DELETE", "PATCH", "post", "GET\tx", "A".repeat(300), "")) {
            several.add(method, siege.ask(method, PAYMENTS, siege.asItself() + json(newKey()), AttackSession.honest()));
        }
        return several.result();
    }

    private static Result versions(AttackSession siege) throws IOException {
        var several = new Several();
        for (String line : List.of("GET " + PAYMENTS, "GET " + PAYMENTS + " HTTP/3.0", "GET " + PAYMENTS + " HTTP/1.10", "GET " + PAYMENTS
                + " http/1.1",
                "GET " + PAYMENTS + " HTTP/1.0", "PRI * HTTP/2.0\r\n\r\nSM",
                "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003")) {
            several.add(line, siege.say(line + "\r\nHost: x\r\nConnection: close\r\n\r\n"));
        }
        return several.result();
    }

    private static Result paths(AttackSession siege) throws IOException {
        String own = AttackSession.idOf(siege.pay(siege.target.token()));
        var several = new Several();
        for (String path : List.of("//v1/payments/%s", "/v1//payments/%s", "/v1/./payments/%s", "/v1/x/../payments/%s",
                "/v1/%%2e%%2e/v1/payments/%s",
                "/v1/payments/%s%%00", "/v1/payments/%s;x=1", "/v1/payments\\%s", "/V1/PAYMENTS/%s", "http://localhost/v1/payments/%s",
                "/v1/payments/%s/../../../etc/passwd", "/%%c0%%ae%%c0%%ae/%s", "/v1/payments/%s?token=" + siege.target.token(),
                "*", "/v1/payments/%s#x")) {
            several.add(path, siege.ask("GET", path.formatted(own), "", ""));
        }
        return several.result();
    }

    private static Result keys(AttackSession siege) throws IOException {
        var several = new Several();
        for (String key : List.of("a\0b", "a\u0001b", "a\u007fb", "a\tb", "a b", "\u00e9", "", "\"\"", "a".repeat(256), "a\rb",
                "a,\u0080")) {
            several.add(key, with(siege, json(key)));
        }
        several.add("two keys", with(siege, json(newKey()) + "Idempotency-Key: " + newKey() + "\r\n"));
        return several.result();
    }

    private static Result split(AttackSession siege) throws IOException {
        var several = new Several();
        for (String breaks : List.of("%0d%0a", "%0a", "%E5%98%8A%E5%98%8D")) {
            String planted = "a" + breaks + PLANTED + ":%201";
            for (String path : List.of("/v1/" + planted, PAYMENTS + "/" + planted, PAYMENTS + "?reference=" + planted)) {
                plantedIn(several, path, siege.ask("GET", path, siege.asItself(), ""));
            }
        }
        plantedIn(several, "as traceparent", with(siege, json(newKey()) + "traceparent: a\r" + PLANTED + ": 1\r\n"));
        return several.result();
    }

    private static void plantedIn(Several several, String where, Reply reply) {
        boolean held = !reply.silent() && reply.status() < 500 && reply.head().lines().noneMatch(line -> line.startsWith(PLANTED));
        several.add(where, held, reply.toString());
    }

    private static Result logLines(AttackSession siege) throws IOException {
        if (siege.target.logs().isEmpty()) {
            return new Result.NotTried("--log FILE of a service");
        }
        String mark = "attack-" + java.util.UUID.randomUUID();
        String json = "\\r\\n" + mark + " ERROR all payments lost";
        siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()), AttackSession.honest().replace("pm_card_visa", "x" + json));
        siege.ask("POST", PAYMENTS, siege.asItself() + json(newKey()), AttackSession.honest().replace("attack-x", json));
        siege.ask("GET", "/v1/x%0d%0a" + mark, siege.asItself() + "User-Agent: a\r" + mark + "\r\n", "");
        siege.ask("GET", PAYMENTS + "/x%0a" + mark, "Authorization: Bearer a%0a" + mark + "\r\n", "");
        var several = new Several();
        for (var log : siege.target.logs()) {
            try (var lines = java.nio.file.Files.lines(log, java.nio.charset.StandardCharsets.ISO_8859_1)) {
                several.add(log.toString(), lines.noneMatch(line -> line.startsWith(mark)), "searched");
            }
        }
        return several.result();
    }
}
