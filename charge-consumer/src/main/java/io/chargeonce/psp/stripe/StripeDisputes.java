// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.stripe;

import com.stripe.StripeClient;
import com.stripe.exception.StripeException;
import com.stripe.model.BalanceTransaction;
import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.Dispute.Funds;
import io.chargeonce.ledger.Dispute.Stage;
import io.chargeonce.ledger.ForeignText;
import io.chargeonce.payment.PspUnits;
import io.chargeonce.psp.Webhook;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Looks disputes up. A status has its rank in their course; two looks at once may be recorded in either order. The dispute's balance
 * transactions say where the money is: none before it is withdrawn, then one, and one more for each later movement.
 * https://docs.stripe.com/api/disputes/object
 */
final class StripeDisputes {

    private record Meaning(Stage stage, int rank, boolean isFinal) {}

    private static final Meaning UNKNOWN = new Meaning(Stage.OPENED, 0, false);

    private static final Map<String, Meaning> MEANINGS = Map.of(
            "warning_needs_response", new Meaning(Stage.INQUIRY, 10, false),
            "warning_under_review", new Meaning(Stage.INQUIRY, 11, false),
            "warning_closed", new Meaning(Stage.INQUIRY, 12, true),
            "needs_response", new Meaning(Stage.OPENED, 20, false),
            "under_review", new Meaning(Stage.OPENED, 21, false),
            // Stripe has blocked or resolved it before it became a chargeback.
            "prevented", new Meaning(Stage.INQUIRY, 22, true),
            "won", new Meaning(Stage.WON, 30, true),
            "lost", new Meaning(Stage.LOST, 31, true));

    private final StripeClient stripe;

    StripeDisputes(StripeClient stripe) {
        this.stripe = stripe;
    }

    /**
     * @param event in Stripe's words
     * @throws Webhook.AskLater if Stripe does not say
     */
    Dispute.Report lookUp(String id, String event) {
        try {
            return report(stripe.v1().disputes().retrieve(id), event);
        } catch (StripeException e) {
            throw new Webhook.AskLater(e);
        }
    }

    private static Dispute.Report report(com.stripe.model.Dispute dispute, String event) {
        String status = String.valueOf(dispute.getStatus());
        Meaning means = MEANINGS.getOrDefault(status, UNKNOWN);
        List<BalanceTransaction> moved = Optional.ofNullable(dispute.getBalanceTransactions()).orElse(List.of());
        boolean isKnown = MEANINGS.containsKey(status);
        var details = Optional.ofNullable(dispute.getEvidenceDetails());
        return new Dispute.Report(dispute.getId(), Optional.ofNullable(dispute.getPaymentIntent()),
                PspUnits.STRIPE.from(dispute.getAmount(), String.valueOf(dispute.getCurrency()).toUpperCase(Locale.ROOT)),
                ForeignText.brief(String.valueOf(dispute.getReason())), "%s, %s".formatted(event, status), Optional.empty(),
                isKnown,
                means.stage, means.rank, means.isFinal, Optional.of(funds(moved)), moved.size(),
                Boolean.TRUE.equals(dispute.getIsChargeRefundable()), isKnown && !status.endsWith("needs_response"),
                details.map(com.stripe.model.Dispute.EvidenceDetails::getDueBy).map(Instant::ofEpochSecond));
    }

    private static Funds funds(List<BalanceTransaction> moved) {
        long sum = moved.stream().mapToLong(BalanceTransaction::getAmount).sum();
        return moved.isEmpty() ? Funds.NOT_TAKEN : sum < 0 ? Funds.TAKEN : Funds.RETURNED;
    }
}
