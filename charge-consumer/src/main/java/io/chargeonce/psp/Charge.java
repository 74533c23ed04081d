package io.chargeonce.psp;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.payment.PspKey;
import java.util.Optional;

/**
 * One attempt, as a gateway needs it.
 *
 * @param money        what the PSP's answer must say, or it is not believed
 * @param request      what is sent, byte for byte, each time; rendered by the same gateway before the attempt was stored
 * @param pspReference the PSP's own id for it, once an answer has named one
 * @param keyIsKnown   whether it may be sent again: the PSP still remembers the key, and the payment's deadline has not passed;
 *                     if not, the attempt must only be asked about
 */
public record Charge(PspKey key, PaymentId payment, Money money, byte[] request, Optional<String> pspReference,
                     boolean keyIsKnown) {

    /** The same attempt, with what an answer told us to ask for. */
    public Charge withReference(Optional<String> reference) {
        return new Charge(key, payment, money, request, reference.or(() -> pspReference), keyIsKnown);
    }
}
