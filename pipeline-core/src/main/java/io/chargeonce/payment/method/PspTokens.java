// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import io.chargeonce.payment.PaymentRequest;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The tokens of a payment's method, by PSP. A PSP without one cannot charge it. Immutable. */
public final class PspTokens {

    private static final String STRIPES_CUSTOMER = "cus_";

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
        return new PspTokens(psp -> Optional.of(raw(psp, request)), false);
    }

    /**
     * Stripe knows its own customers only, and refuses others. Adyen stores a method under a name of the merchant's: the customer, or the
     * token itself if the merchant gives no customer.
     */
    private static PspToken raw(String psp, PaymentRequest request) {
        return new PspToken(PspFields.isAdyen(psp) ? request.customer().or(() -> Optional.of(request.paymentMethod()))
                : request.customer().filter(name -> name.startsWith(STRIPES_CUSTOMER)), request.paymentMethod());
    }

    /** At the account of this name. */
    public Optional<PspToken> at(String psp) {
        return byPsp.apply(psp);
    }

    public boolean areDetached() {
        return detached;
    }
}
