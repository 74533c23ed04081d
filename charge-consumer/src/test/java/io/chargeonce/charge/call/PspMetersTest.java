// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.Outcome;
import io.chargeonce.payment.UnknownCause;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PspMetersTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PspMeters meters = new PspMeters(registry);

    @Test
    void exchanges_are_counted_by_psp_call_and_outcome() {
        var charged = new Outcome.Charged("pi_1");

        assertThat(meters.timed("stripe", "send", () -> charged)).isSameAs(charged);
        meters.timed("stripe", "send", () -> new Outcome.Failed(FailureCause.CONNECTION_REFUSED, "refused"));
        meters.timed("adyen", "send", () -> new Outcome.Unknown(UnknownCause.CONNECTION_LOST, "reset", Optional.empty()));
        meters.timed("adyen", "ask", () -> charged);
        meters.timed("adyen", "ask", () -> charged);
        meters.timed("adyen", "send", () -> new Outcome.Declined("insufficient_funds", "no money", Optional.empty()));

        assertThat(count("stripe", "send", "charged")).isEqualTo(1);
        assertThat(count("stripe", "send", "failed")).isEqualTo(1);
        assertThat(count("adyen", "send", "unknown")).isEqualTo(1);
        assertThat(count("adyen", "ask", "charged")).isEqualTo(2);
        assertThat(count("adyen", "send", "declined")).isEqualTo(1);
    }

    private long count(String psp, String call, String outcome) {
        return registry.get("chargeonce.psp.calls").tags("psp", psp, "call", call, "outcome", outcome).timer().count();
    }
}
