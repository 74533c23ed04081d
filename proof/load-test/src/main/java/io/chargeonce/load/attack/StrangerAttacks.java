// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import static io.chargeonce.load.attack.AttackSession.PAYMENTS;
import static io.chargeonce.load.attack.AttackSession.as;
import static io.chargeonce.load.attack.AttackSession.json;
import static io.chargeonce.load.attack.AttackSession.newKey;

import io.chargeonce.load.attack.Attack.Result;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/** Requests without a token, or with another merchant's. */
final class StrangerAttacks {

    private StrangerAttacks() {}

    private static final int BOGUS = 300;
    private static final int ANSWERED_AT_ONCE = 5;

    static final List<Attack> ALL = List.of(
            Attack.plain("no-token", "payments without a token, and with what is none", StrangerAttacks::withoutToken),
            Attack.plain("bogus-tokens", BOGUS + " tokens that were never issued, and then an honest payment", StrangerAttacks::bogus),
            Attack.plain("read-anothers", "another merchant's payment and refunds, by its id, reference and key", StrangerAttacks::read),
            Attack.plain("refund-anothers", "a refund of another merchant's payment", StrangerAttacks::refund),
            Attack.plain("who-am-i", "headers that name another merchant or user", StrangerAttacks::spoofed),
            Attack.plain("forged-cursors", "cursors that no page has given", StrangerAttacks::cursors));

    private static Result withoutToken(AttackSession siege) throws IOException {
        var several = new Several();
        String token = siege.target.token();
        for (String header : List.of("", "Authorization: \r\n", "Authorization: Bearer\r\n", "Authorization: Bearer \r\n",
                "Authorization: Bearer null\r\n",
                "Authorization: Basic " + Base64.getEncoder().encodeToString((token + ":").getBytes()) + "\r\n", "Authorization: " + token
                        + "\r\n",
                "Authorization: Bearer " + token + "x\r\n", "Authorization: Bearer " + token.toUpperCase(java.util.Locale.ROOT) + "\r\n",
                "Authorization: Bearer ' OR true --\r\n", "Authorization: Bearer " + "a".repeat(5_000) + "\r\n", "X-Authorization: Bearer "
                        + token + "\r\n",
                "Cookie: token=" + token + "\r\n", "Authorization: Bearer " + token + "," + token + "\r\n")) {
            several.add(header, siege.ask("POST", PAYMENTS, header + json(newKey()), AttackSession.honest()));
        }
        several.add("in the query", siege.ask("POST", PAYMENTS + "?access_token=" + token, json(newKey()), AttackSession.honest()));
        return several.result();
    }

    private static Result bogus(AttackSession siege) throws IOException {
        var several = new Several();
        for (int i = 0; i < ANSWERED_AT_ONCE; i++) {
            several.add("bogus", siege.ask("POST", PAYMENTS, as("bogus_" + UUID.randomUUID()) + json(newKey()), AttackSession.honest()));
        }
        // Later ones are answered late, on purpose, so nothing waits for them here.
        for (int i = ANSWERED_AT_ONCE; i < BOGUS; i++) {
            siege.open(siege.target.ingest())
                    .offer("GET " + PAYMENTS + "/pay_x HTTP/1.1\r\nHost: x\r\n" + as("bogus_" + UUID.randomUUID()) + "\r\n");
        }
        Reply honest = siege.pay(siege.target.token());
        several.add("an honest one after them", honest.status() == 202, honest.toString());
        return several.result();
    }

    private static Result read(AttackSession siege) throws IOException {
        String key = newKey();
        String reference = newKey();
        String id = AttackSession.idOf(siege.ask("POST", PAYMENTS, as(siege.target.other()) + json(key),
                AttackSession.honest().replaceAll("attack-x[^\"]*", reference)));
        var several = new Several();
        for (String path : List.of("/%s", "/%s/refunds", "/%s/refunds/payment-%1$s-refund", "/%s/", "/%s?merchant=globex", "/%s%%20",
                "/%%70ay_" + id.substring(4))) {
            several.add(path, siege.ask("GET", PAYMENTS + path.formatted(id), siege.asItself(), ""));
        }
        Reply page = siege.ask("GET", PAYMENTS + "?reference=" + reference, siege.asItself(), "");
        several.add("by its reference", !page.text().contains(id) && page.status() < 500 && !page.silent(), page.toString());
        Reply same = siege.ask("POST", PAYMENTS, siege.asItself() + json(key), AttackSession.honest());
        several.add("by its key", !same.text().contains(id) && same.status() < 500 && !same.silent(), same.toString());
        return several.result();
    }

    private static Result refund(AttackSession siege) throws IOException {
        String id = siege.paymentOfTheOther();
        var several = new Several();
        for (String path : List.of("/%s/refunds", "/%s/refunds?merchant=globex", "//%s/refunds")) {
            several.add(path, siege.ask("POST", PAYMENTS + path.formatted(id), siege.asItself() + json(newKey()), "{\"amount\":1}"));
            several.add(path, siege.ask("POST", PAYMENTS + path.formatted(id), siege.asItself() + json(newKey()),
                    "{\"amount\":1,\"merchant\":\"globex\"}"));
        }
        return several.result();
    }

    private static Result spoofed(AttackSession siege) throws IOException {
        String id = siege.paymentOfTheOther();
        var several = new Several();
        for (String header : List.of("X-Merchant", "X-Merchant-Id", "X-User", "X-Forwarded-User", "X-Remote-User", "X-Original-URL",
                "X-HTTP-Method-Override",
                "Forwarded", "X-Forwarded-For", "From")) {
            for (String value : List.of("globex", "acme", "postgres", PAYMENTS + "/" + id)) {
                several.add(header, siege.ask("GET", PAYMENTS + "/" + id, siege.asItself() + header + ": " + value + "\r\n", ""));
            }
        }
        return several.result();
    }

    private static Result cursors(AttackSession siege) throws IOException {
        var several = new Several();
        for (String text : List.of("x", "", "%00", "2026-11-22T00:00:00Z", "' OR true --",
                "+1000000000-12-31T23:59:59.999999999Z pay_aaaaaaaaaaaaaaaaaaaaaaaaaa",
                "-1000000000-01-01T00:00:00Z pay_aaaaaaaaaaaaaaaaaaaaaaaaaa", "9".repeat(3_000))) {
            for (String cursor : List.of(text, Base64.getUrlEncoder().withoutPadding().encodeToString(text.getBytes()))) {
                several.add(cursor, siege.ask("GET", PAYMENTS + "?reference=x&cursor=" + java.net.URLEncoder.encode(cursor,
                        java.nio.charset.StandardCharsets.UTF_8), siege.asItself(), ""));
            }
        }
        for (String query : List.of("limit=-1", "limit=1000000", "limit=1e3", "reference=&x", "cursor=%ff%fe")) {
            several.add(query, siege.ask("GET", PAYMENTS + "?reference=x&" + query, siege.asItself(), ""));
        }
        return several.result();
    }
}
