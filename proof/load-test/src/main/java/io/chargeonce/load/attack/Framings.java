// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import io.chargeonce.load.attack.Framings.Framing.Rule;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Ways to say where a request ends: those that RFC 9112 allows, and those that two programs may read in two ways. Behind a proxy that
 * reuses connections, whoever makes us see two requests where the proxy sees one gets another's answer. So each framing is followed by
 * another request, and the answers are counted.
 */
final class Framings {

    private Framings() {}

    private static final int STATUS_OK = 200;
    private static final Set<Integer> BAD_HTTP = Set.of(0, 400, 413, 414, 501, 505);
    private static final String FOLLOWS = "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    /** It would leave the connection open for what follows. */
    private static final String HIDDEN = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String CHUNKED = "{head}Transfer-Encoding: chunked\r\n\r\n";
    private static final String ONE_CHUNK = "{x}\r\n{body}\r\n0\r\n\r\n";

    /**
     * Who is asked.
     *
     * @param request a method and a path
     * @param headers all but Host and those of the framing
     * @param taken   what a well framed request is answered with
     * @param closes  whether the server ends each connection after one answer; it may then read an odd framing as it likes
     */
    record Door(URI address, String request, String headers, String body, int taken, boolean closes) {

        /** Of payments. */
        static Door ingest(URI address) {
            return new Door(address, "POST " + AttackSession.PAYMENTS, AttackSession.json(""),
                    "{\"amount\":1299,\"currency\":\"EUR\",\"payment_method\":\"pm_card_visa\"}", 202, false);
        }

        /** Of people: where no Postgres is, a sign-in is answered with 503. */
        static Door console(URI address) {
            return new Door(address, "POST /api/session", "Content-Type: application/json\r\n", "{\"token\":\"a:b\"}", 503, false);
        }

        /** Of PSPs' webhooks: what is not signed is answered with 401. */
        static Door webhooks(URI address) {
            return new Door(address, "POST /v1/webhooks/stripe", "", "{}", 401, true);
        }

        /** Of health, which anyone may ask for. */
        static Door admin(URI address) {
            return new Door(address, "GET /health/live", "", "x", STATUS_OK, true);
        }

        private Door with(String newHeaders) {
            return new Door(address, request, newHeaders, body, taken, closes);
        }
    }

    /** @param text with {@code {head}} and other words in place of what a door needs */
    record Framing(String name, Rule rule, String text) {

        enum Rule {
            /** It is well framed. */
            TAKEN,
            /** It is well framed, and the connection ends with it. */
            LAST,
            /** A server may take it or refuse it. */
            EITHER,
            /** A server that took it would read it in another way than a proxy. */
            REFUSED,
            /** Its body is a request that no route reads: it is never answered, and the connection ends. */
            UNREAD,
            /** The same, but the connection may go on behind the body. */
            PASSED
        }

        String at(Door door) {
            return text.replace("{head}", "{line}\r\nHost: localhost\r\n{headers}").replace("{line}", "{request} HTTP/1.1")
                    .replace("{request}", door.request).replace("{headers}", door.headers)
                    .replace("{n}", "" + door.body.length()).replace("{x}", Integer.toHexString(door.body.length()))
                    .replace("{X}", Integer.toHexString(door.body.length()).toUpperCase(java.util.Locale.ROOT))
                    .replace("{body}", door.body)
                    .replace("{next}", FOLLOWS).replace("{nx}", Integer.toHexString(FOLLOWS.length()))
                    .replace("{nn}", "" + FOLLOWS.length()).replace("{hidden}", HIDDEN).replace("{hn}", "" + HIDDEN.length())
                    .replace("{hx}", Integer.toHexString(HIDDEN.length())) + FOLLOWS;
        }

        boolean holds(Door door, Reply reply) {
            boolean once = reply.answers() <= 1;
            boolean refused = once && BAD_HTTP.contains(reply.status());
            boolean taken = reply.status() == door.taken && reply.answers() <= (door.closes ? 1 : 2);
            return !reply.silent() && switch (rule) {
                case TAKEN -> taken && (door.closes || reply.answers() == 2);
                case LAST -> taken && once;
                case EITHER -> taken || refused;
                case REFUSED -> refused || door.closes && once;
                case UNREAD -> once;
                case PASSED -> reply.answers() <= (door.closes ? 1 : 2);
            };
        }
    }

    /** Plays all of them at this door. */
    static Several play(AttackSession siege, Door door) throws IOException {
        var several = new Several();
        for (Framing framing : ALL) {
            Door fresh = door.headers.contains("Idempotency-Key") ? door.with(siege.asItself() + AttackSession.json(AttackSession.newKey()))
                    : door;
            Reply reply = siege.say(door.address, framing.at(fresh));
            several.add(framing.name, framing.holds(door, reply), reply + (reply.answers() > 1 ? " and a second answer" : ""));
        }
        return several;
    }

    static final List<Framing> ALL = all();

    private static List<Framing> all() {
        var all = new ArrayList<Framing>();
        lengths(all);
        codings(all);
        chunks(all);
        lines(all);
        connections(all);
        return List.copyOf(all);
    }

    private static void length(List<Framing> all, Rule rule, String... headers) {
        for (String header : headers) {
            all.add(new Framing(header, rule, "{head}" + header + "\r\n\r\n{body}"));
        }
    }

    /** RFC 9112, 5 and 6.2. */
    private static void lengths(List<Framing> all) {
        length(all, Rule.TAKEN, "Content-Length: {n}", "content-length:{n}", "Content-Length: \t {n} \t");
        length(all, Rule.EITHER, "Content-Length: {n}, {n}", "Content-Length: {n}\r\nContent-Length: {n}", "Content-Length: 00{n}");
        length(all, Rule.REFUSED, "Content-Length: +{n}", "Content-Length: -1", "Content-Length: -0", "Content-Length: 0x{x}",
                "Content-Length: {n}.0", "Content-Length: {n}e0", "Content-Length: {n}_", "Content-Length: \"{n}\"",
                "Content-Length: {n};a=b", "Content-Length: {n} {n}", "Content-Length: 0, {n}", "Content-Length: {n}, 0",
                "Content-Length: {n}\r\nContent-Length: 0", "Content-Length: 0\r\nContent-Length: {n}", "Content-Length: ",
                "Content-Length: 99999999999999999999", "Content-Length: 9223372036854775808", "Content-Length: 18446744073709551616{n}",
                "Content-Length : {n}", "Content-Length\t: {n}", "X-A: b\r\n Content-Length: {n}", "Content-Length:\r\n {n}",
                "Content-Length: {n}\u000b", "Content-Length: \u000c{n}", "Content-Length: {n}\0", "Content-Length: {n}\r",
                "X-A: b\rContent-Length: {n}", "X-A: b\nContent-Length: {n}", "Content-Length: \u00b2");
    }

    private static void coding(List<Framing> all, Rule rule, String... headers) {
        for (String header : headers) {
            all.add(new Framing(header, rule, "{head}" + header + "\r\n\r\n" + ONE_CHUNK));
        }
    }

    /** RFC 9112, 6.1 and 6.3. */
    private static void codings(List<Framing> all) {
        coding(all, Rule.TAKEN, "Transfer-Encoding: chunked", "transfer-encoding:ChunKed", "Transfer-Encoding: \tchunked ");
        coding(all, Rule.EITHER, "Transfer-Encoding: , chunked", "Transfer-Encoding: chunked,");
        coding(all, Rule.REFUSED, "Transfer-Encoding: chunked\r\nContent-Length: {n}", "Content-Length: {n}\r\nTransfer-Encoding: chunked",
                "Content-Length: 0\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
                "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Transfer-Encoding: identity", "Transfer-Encoding: gzip",
                "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip", "Transfer-Encoding: xchunked",
                "Transfer-Encoding: chunkedx", "Transfer-Encoding: chunked;q=1", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: ",
                "Transfer-Encoding: chunked\u000b", "Transfer-Encoding: \u000bchunked", "Transfer-Encoding: chunked\0",
                "Transfer-Encoding: chunked\u00a0", "Transfer-Encoding: chunked\rX-A: b", "Transfer-Encoding : chunked",
                "Transfer-Encoding:\r\n chunked", "X-A: b\r\n Transfer-Encoding: chunked", "X-A: b\nTransfer-Encoding: chunked");
        all.add(new Framing("chunks in HTTP/1.0", Rule.REFUSED,
                "{request} HTTP/1.0\r\nHost: localhost\r\n{headers}Transfer-Encoding: chunked\r\n\r\n" + ONE_CHUNK));
    }

    private static void chunk(List<Framing> all, Rule rule, String... bodies) {
        for (String body : bodies) {
            all.add(new Framing("chunk " + body, rule, CHUNKED + body));
        }
    }

    /** RFC 9112, 7.1. */
    private static void chunks(List<Framing> all) {
        chunk(all, Rule.TAKEN, "{X}\r\n{body}\r\n0\r\n\r\n", "000{x}\r\n{body}\r\n000\r\n\r\n");
        chunk(all, Rule.EITHER, "{x};a=b\r\n{body}\r\n0\r\n\r\n", "{x};a\r\n{body}\r\n0\r\n\r\n", "{x} ; a=\"b\"\r\n{body}\r\n0\r\n\r\n",
                "{x}\r\n{body}\r\n0;a=b\r\n\r\n", "{x}\r\n{body}\r\n0\r\nX-A: b\r\n\r\n", "00000000000000000000{x}\r\n{body}\r\n0\r\n\r\n");
        for (String size : List.of("0x{x}", "+{x}", "-{x}", "-1", " {x}", "{x} ", "\t{x}", "{x}\t", "{x}_", "{x}g", "", "{x},{x}",
                "1{x}0000000000000000", "100000000000000{x}", "ffffffffffffffff", "80000000", "{x}\r", "{x}\n", "{x};a\rb", "{x};a\nb",
                "{x};a=\"\r\n\"", "{x}\0")) {
            chunk(all, Rule.REFUSED, size + "\r\n{body}\r\n0\r\n\r\n");
        }
        chunk(all, Rule.REFUSED, "{x}\n{body}\n0\n\n", "{x}\r\n{body}XX0\r\n\r\n", "{x}\r\n{body}\n\n0\r\n\r\n",
                "{x}\r\n{body}\r\r0\r\n\r\n", "{x}\r\n{body}\n0\r\n\r\n", "{x}\r\n{body}0\r\n\r\n", "{x}\r\n{body}\r\n+0\r\n\r\n",
                "{x}\r\n{body}\r\n-0\r\n\r\n", "{x}\r\n{body}\r\n0 \r\n\r\n", "{x}\r\n{body}\r\n0\r\nXX", "{x}\r\n{body}\r\n0\r\n\n",
                "{x}\r\n{body}\r\n0\n\n", "{x}\r\n{body}\r\n0\r\n: b\r\n\r\n", "{x}\r\n{body}\r\n0\r\nContent-Length: {nn}\r\n\r\n{next}");
        all.add(new Framing("a chunk of 1 MiB and a byte", Rule.REFUSED, CHUNKED + "100001\r\n" + " ".repeat(0x100001) + "\r\n0\r\n\r\n"));
        all.add(new Framing("an extension of 1 MiB", Rule.REFUSED, CHUNKED + "{x};" + "a".repeat(1 << 20) + "\r\n{body}\r\n0\r\n\r\n"));
        all.add(new Framing("an odd chunk that holds a request", Rule.REFUSED, CHUNKED + "{nx};a=b\r\n{next}\r\n0\r\n\r\n"));
    }

    /** RFC 9112, 2.2, 3 and 5; RFC 9110, 7.2. */
    private static void lines(List<Framing> all) {
        String rest = "\r\nHost: localhost\r\n{headers}Content-Length: {n}\r\n\r\n{body}";
        for (String line : List.of("{request}  HTTP/1.1", "{request}\tHTTP/1.1", "{request} HTTP/1.1 ", " {line}", "{request}",
                "{request} x "
                        + "HTTP/1.1",
                "{request} http/1.1", "{request} HTTP/2.0", "{request} HTTP/1.10", "{request} HTTP/11", "{line}\u000b",
                "{line}\r", "{line}\0", "{request}#a HTTP/1.1")) {
            all.add(new Framing(line, Rule.REFUSED, line + rest));
        }
        all.add(new Framing("an empty line first", Rule.EITHER, "\r\n{line}" + rest));
        String end = "{headers}Content-Length: {n}\r\n\r\n{body}";
        for (String hosts : List.of("", "Host: a\r\nHost: b\r\n", "Host: a, b\r\n", "Host: a b\r\n", "Host : a\r\n", " Host: a\r\n")) {
            all.add(new Framing("hosts " + hosts, Rule.REFUSED, "{line}\r\n" + hosts + end));
        }
        for (String header : List.of("no colon", ": b", "X A: b", "X-A: b\0c", "X-A: b\rc", "X-A\u00e9: b", "X(A): b", "X-A: b\r\n c",
                "X-A: b\r\n\tc")) {
            all.add(new Framing(header, Rule.REFUSED, "{head}" + header + "\r\nContent-Length: {n}\r\n\r\n{body}"));
        }
        all.add(new Framing("lines that end with LF", Rule.REFUSED, "{line}\nHost: localhost\nContent-Length: {n}\n\n{body}"));
    }

    /** RFC 9112, 9.3 and 9.6, and bodies that are not read. */
    private static void connections(List<Framing> all) {
        for (String last : List.of("close", "Close", "x, close", "close, x")) {
            all.add(new Framing("Connection: " + last, Rule.LAST,
                    "{head}Connection: " + last + "\r\nContent-Length: {n}\r\n\r\n{body}"));
        }
        all.add(new Framing("HTTP/1.0", Rule.LAST, "{request} HTTP/1.0\r\n{headers}Content-Length: {n}\r\n\r\n{body}"));
        for (String headers : List.of("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__",
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: eDEyMzQ1Njc4OTAxMjM0NQ==",
                "Connection: Content-Length", "Connection: keep-alive, keep-alive", "Expect: ", "TE: trailers, chunked",
                "X-HTTP-Method-Override: GET\r\nX-Original-URL: /x")) {
            all.add(new Framing(headers, Rule.EITHER, "{head}" + headers + "\r\nContent-Length: {n}\r\n\r\n{body}"));
        }
        all.add(new Framing("too long a body that begins with a request", Rule.UNREAD, "{head}Content-Length: 2000000\r\n\r\n{next}"));
        for (String get : List.of("GET /elsewhere", "GET /app.js", "GET /api/stream", "DELETE /api/session", "OPTIONS *", "HEAD /")) {
            all.add(new Framing(get + " with a body that is a request", Rule.PASSED,
                    get + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: {hn}\r\n\r\n{hidden}"));
            all.add(new Framing(get + " with chunks that are a request", Rule.PASSED,
                    get + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n{hx}\r\n{hidden}\r\n0\r\n\r\n"));
        }
        String bare = "{line}\r\nHost: localhost\r\n";
        all.add(new Framing("a request in chunks that no route reads", Rule.UNREAD,
                bare + "Transfer-Encoding: chunked\r\n\r\n{nx}\r\n{next}\r\n0\r\n\r\n"));
        all.add(new Framing("a long request that no route reads", Rule.UNREAD, bare + "Content-Length: 2000000\r\n\r\n{next}"));
        all.add(new Framing("a body that waits for leave", Rule.UNREAD,
                bare + "Expect: 100-continue\r\nContent-Length: {nn}\r\n\r\n{next}"));
        all.add(new Framing("an encoded body", Rule.REFUSED, "{head}Content-Encoding: gzip\r\nContent-Length: {nn}\r\n\r\n{next}"));
    }
}
