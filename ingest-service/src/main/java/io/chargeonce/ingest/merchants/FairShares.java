// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import io.chargeonce.http.Answer;
import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.answer.Problems;
import io.chargeonce.ingest.transport.IngestHttp;
import io.chargeonce.http.Seats;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.function.Supplier;

/**
 * How many requests and batches one merchant may have under way. More are refused with 429 before their bodies are read, so that a
 * flood costs little. Any thread.
 */
public final class FairShares {

    /** More than any merchant needs: a request takes milliseconds. Most of them are requests that wait for outcomes. */
    private static final int REQUESTS = IngestHttp.MOST_REQUESTS_AT_ONCE / 2;
    /** Each batch works on {@code Batch.AT_ONCE} lines at a time, so that a few of them fill any machine. */
    public static final int BATCHES = 64;
    /** Of all merchants together, so that idle batches leave room for single payments. */
    private static final int BATCHES_OF_ALL = IngestHttp.MOST_REQUESTS_AT_ONCE / 2;
    private static final String ALL = "all";

    private final Seats requests;
    private final Seats batches = new Seats(BATCHES);
    private final Seats allBatches = new Seats(BATCHES_OF_ALL);
    private final MeterRegistry meters;

    public FairShares(MeterRegistry meters) {
        this(meters, REQUESTS);
    }

    /** @param most requests of one merchant */
    FairShares(MeterRegistry meters, int most) {
        this.meters = meters;
        this.requests = new Seats(most);
        List.of("requests_of_merchant", "batches_of_merchant", "batches").forEach(this::refused);
    }

    private Counter refused(String reason) {
        return meters.counter("chargeonce.door.refused", "door", "ingest", "reason", reason);
    }

    /** The request's answer, or the refusal. */
    public Answer request(Merchant merchant, Supplier<Answer> answer) {
        if (!requests.take(merchant.id())) {
            refused("requests_of_merchant").increment();
            return Problems.tooManyAtOnce("%,d requests".formatted(requests.most())).answer();
        }
        try {
            return answer.get();
        } finally {
            requests.giveBack(merchant.id());
        }
    }

    /** A seat for a batch, which must be given back; or why there is none. */
    public Checked<Merchant> beginBatch(Merchant merchant) {
        if (!batches.take(merchant.id())) {
            refused("batches_of_merchant").increment();
            return new Checked.Wrong<>(Problems.tooManyAtOnce("%d open batches".formatted(BATCHES)));
        }
        if (!allBatches.take(ALL)) {
            batches.giveBack(merchant.id());
            refused("batches").increment();
            return new Checked.Wrong<>(Problems.overloaded());
        }
        return new Checked.Right<>(merchant);
    }

    public void endBatch(Merchant merchant) {
        allBatches.giveBack(ALL);
        batches.giveBack(merchant.id());
    }
}
