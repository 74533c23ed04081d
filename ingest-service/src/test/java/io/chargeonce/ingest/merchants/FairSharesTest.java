// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.merchants;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.answer.Checked;
import io.chargeonce.ingest.transport.IngestHttp;
import io.chargeonce.http.Answer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FairSharesTest {

    private static final int MOST = 20;
    private static final Merchant FLOOD = new Merchant("flood", Optional.empty());
    private static final Merchant QUIET = new Merchant("quiet", Optional.empty());
    private static final Answer DONE = new Answer(202, Map.of(), new byte[0], "accepted");
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final FairShares shares = new FairShares(meters, MOST);

    private Answer underWay(int more) {
        return shares.request(FLOOD, () -> more > 1 ? underWay(more - 1) : atTheLimit());
    }

    private Answer atTheLimit() {
        Answer refused = shares.request(FLOOD, () -> DONE);
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.outcome()).isEqualTo("too-many-at-once");
        assertThat(refused.headers()).containsEntry("Retry-After", "1");
        return shares.request(QUIET, () -> DONE);
    }

    @Test
    void the_batches_of_all_merchants_together_leave_room_for_single_payments() {
        var merchants = IntStream.rangeClosed(0, IngestHttp.MOST_REQUESTS_AT_ONCE / 2 / FairShares.BATCHES)
                .mapToObj(i -> new Merchant("m" + i, Optional.empty())).toList();
        long begun =
                merchants.stream().flatMap(merchant -> IntStream.range(0, FairShares.BATCHES).mapToObj(i -> shares.beginBatch(merchant)))
                        .filter(Checked.Right.class::isInstance).count();
        assertThat(begun).isEqualTo(IngestHttp.MOST_REQUESTS_AT_ONCE / 2);
        assertThat(((Checked.Wrong<Merchant>) shares.beginBatch(QUIET)).problem().status()).isEqualTo(503);
        assertThat(meters.counter("chargeonce.door.refused", "door", "ingest", "reason", "batches").count()).isPositive();

        shares.endBatch(merchants.getFirst());
        assertThat(shares.beginBatch(QUIET)).isInstanceOf(Checked.Right.class);
    }

    @Test
    void one_merchant_has_at_most_its_part_of_all_requests_under_way_and_leaves_the_rest_to_others() {
        assertThat(underWay(MOST)).isEqualTo(DONE);
        assertThat(shares.request(FLOOD, () -> DONE)).as("when they are over").isEqualTo(DONE);
        assertThat(meters.counter("chargeonce.door.refused", "door", "ingest", "reason", "requests_of_merchant").count()).isEqualTo(1);
    }
}
