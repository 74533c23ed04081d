package io.chargeonce.ingest.merchants;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.ingest.answer.Answer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Optional;
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
    void one_merchant_has_at_most_its_part_of_all_requests_under_way_and_leaves_the_rest_to_others() {
        assertThat(underWay(MOST)).isEqualTo(DONE);
        assertThat(shares.request(FLOOD, () -> DONE)).as("when they are over").isEqualTo(DONE);
        assertThat(meters.counter("chargeonce.door.refused", "door", "ingest", "reason", "requests_of_merchant").count()).isEqualTo(1);
    }
}
