// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import io.chargeonce.payment.PaymentRequest;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The tokens of a payment's method, by PSP. A PSP without one cannot charge it. Immutable. */
public final class PspTokens {

    private final Function<String, Optional<PspToken>> byPsp;
    private final boolean detached;

    private PspTokens(Function<String, Optional<PspToken>> byPsp, boolean detached) {
        this.byPsp = byPsp;
        this.detached = detached;
    }

    /** Those of a stored method. None are left when it was detached. */
    public static PspTokens stored(Map<String, PspToken> byPsp) {
        Map<String, PspToken> kept = Map.copyOf(byPsp);
        return new PspTokens(psp -> Optional.ofNullable(kept.get(psp)), kept.isEmpty());
    }

    /** The payment method is a PSP's own token. It does not say of which PSP, so each one that the routes name gets it. */
    public static PspTokens raw(PaymentRequest request) {
        return new PspTokens(psp -> Optional.of(new PspToken(request.customer(), request.paymentMethod(), false)), false);
    }

    /** At the account of this name. */
    public Optional<PspToken> at(String psp) {
        return byPsp.apply(psp);
    }

    public boolean areDetached() {
        return detached;
    }
}
