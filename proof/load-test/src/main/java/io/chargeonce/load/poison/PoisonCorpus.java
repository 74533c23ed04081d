// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.poison;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/** Every kind of record that must end in the dead-letter queue, or nowhere, and never in a charge. The same seed is the same corpus. */
public final class PoisonCorpus {

    private static final String UNKNOWN = "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa";

    private PoisonCorpus() {}

    public static List<CorpusRecord> of(RandomGenerator random) {
        var corpus = new ArrayList<CorpusRecord>();
        undecodable(corpus, random);
        misplaced(corpus);
        hostile(corpus);
        return List.copyOf(corpus);
    }

    private static void undecodable(List<CorpusRecord> corpus, RandomGenerator random) {
        corpus.add(CorpusRecord.of("empty value", UNKNOWN, "", Map.of()));
        corpus.add(CorpusRecord.of("null value", UNKNOWN, null, Map.of()));
        corpus.add(CorpusRecord.of("no JSON", UNKNOWN, "<payment/>", Map.of()));
        corpus.add(CorpusRecord.of("truncated", UNKNOWN, request(UNKNOWN, UNKNOWN, 1, 1).substring(0, 80), Map.of()));
        corpus.add(CorpusRecord.of("an array", UNKNOWN, "[1,2,3]", Map.of()));
        corpus.add(CorpusRecord.of("deep", UNKNOWN, "[".repeat(50_000), Map.of()));
        corpus.add(CorpusRecord.of("a huge number", UNKNOWN,
                "{\"type\":\"payment.request\",\"version\":1,\"amount\":" + "9".repeat(5_000) + "}", Map.of()));
        corpus.add(CorpusRecord.of("a field twice", UNKNOWN, "{\"type\":\"payment.request\",\"type\":\"payment.request\"}", Map.of()));
        corpus.add(CorpusRecord.of("a NUL inside", UNKNOWN, "{\"type\":\"pay\\u0000ment\"}", Map.of()));
        corpus.add(CorpusRecord.of("oversized", UNKNOWN, "{\"type\":\"" + "x".repeat(200_000) + "\"}", Map.of()));
        byte[] noise = new byte[300];
        random.nextBytes(noise);
        corpus.add(new CorpusRecord("random bytes", Optional.of(noise), Optional.of(noise), List.of()));
    }

    private static void misplaced(List<CorpusRecord> corpus) {
        corpus.add(CorpusRecord.of("another type", UNKNOWN, "{\"type\":\"payment.outcome\",\"version\":1}", Map.of()));
        corpus.add(CorpusRecord.of("unknown version", UNKNOWN, request(UNKNOWN, UNKNOWN, 7, 1), Map.of()));
        corpus.add(CorpusRecord.of("null key", null, request(UNKNOWN, UNKNOWN, 1, 1), Map.of()));
        corpus.add(CorpusRecord.of("key mismatch", "pay_bbbbbbbbbbbbbbbbbbbbbbbbbb", request(UNKNOWN, UNKNOWN, 1, 1), Map.of()));
        corpus.add(CorpusRecord.of("unknown payment", UNKNOWN, request(UNKNOWN, UNKNOWN, 1, 1), Map.of()));
        corpus.add(CorpusRecord.of("step zero", UNKNOWN, request(UNKNOWN, UNKNOWN, 1, 0), Map.of()));
    }

    private static void hostile(List<CorpusRecord> corpus) {
        for (String attempt : List.of("", "-1", "0", "999999999999", "one", "\0")) {
            corpus.add(CorpusRecord.of("forged attempt '%s'".formatted(attempt.strip()), UNKNOWN, request(UNKNOWN, UNKNOWN, 1, 1),
                    Map.of("chargeonce-attempt", attempt, "chargeonce-step", attempt, "ce_time", "9999-12-31T23:59:59Z")));
        }
        corpus.add(CorpusRecord.of("", UNKNOWN, request(UNKNOWN, UNKNOWN, 1, 1), Map.of())
                .withEmptyHeaders("forged attempt null", List.of("chargeonce-attempt", "chargeonce-step", "ce_time")));
        corpus.add(CorpusRecord.of("a huge header", UNKNOWN, "no JSON", Map.of("chargeonce-failure", "x".repeat(20_000))));
        corpus.add(CorpusRecord.of("control characters in a header", UNKNOWN, "no JSON", Map.of("x", "\u001b[2J\r\nGET / HTTP/1.1\0")));
        var many = new TreeMap<String, String>();
        for (int i = 0; i < 1_000; i++) {
            many.put("h" + i, "v");
        }
        corpus.add(CorpusRecord.of("a thousand headers", UNKNOWN, "no JSON", many));
    }

    private static String request(String payment, String operation, int version, int step) {
        return ("{\"type\":\"payment.request\",\"version\":%d,\"payment_id\":\"%s\","
                + "\"operation\":\"charge\",\"operation_id\":\"%s\",\"step\":%d,"
                + "\"merchant\":\"acme\",\"idempotency_key\":\"unknown\",\"amount\":1,\"currency\":\"EUR\","
                + "\"payment_method\":\"pm_card_visa\"}")
                .formatted(version, payment, operation, step);
    }
}
