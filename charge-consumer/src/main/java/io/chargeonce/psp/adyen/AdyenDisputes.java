// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.adyen;

import io.chargeonce.ledger.Dispute;
import io.chargeonce.ledger.Dispute.Funds;
import io.chargeonce.ledger.Dispute.Stage;
import io.chargeonce.ledger.ForeignText;
import io.chargeonce.payment.CardNumbers;
import io.chargeonce.payment.Money;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Adyen's messages about disputes. All of one dispute have its {@code pspReference}. Adyen signs the event's code and the amount, but
 * neither {@code disputeStatus} nor times, so the code alone decides about money; its rank is its place in the course of a dispute.
 * https://docs.adyen.com/risk-management/disputes-api/dispute-notifications
 */
final class AdyenDisputes {

    /** Codes of the family, also such as Adyen may add. */
    private static final Pattern FAMILY = Pattern.compile(".*(CHARGEBACK|ARBITRATION|DISPUTE|ISSUER|FRAUD|INFORMATION).*");

    /**
     * @param funds    empty if it moves no money
     * @param answered whether no answer is waited for any more
     */
    private record Meaning(Stage stage, int rank, boolean isFinal, Optional<Funds> funds, boolean answered) {

        static Meaning asks(Stage stage, int rank) {
            return new Meaning(stage, rank, false, Optional.empty(), false);
        }

        static Meaning open(int rank, boolean answered) {
            return new Meaning(Stage.OPENED, rank, false, Optional.empty(), answered);
        }

        static Meaning moves(int rank, Funds funds) {
            return new Meaning(Stage.OPENED, rank, false, Optional.of(funds), funds == Funds.RETURNED);
        }

        /** Of two ends of one rank the loss counts. */
        static Meaning won(int rank) {
            return new Meaning(Stage.WON, rank, true, Optional.of(Funds.RETURNED), true);
        }

        static Meaning lost(int rank) {
            return new Meaning(Stage.LOST, rank + 1, true, Optional.of(Funds.TAKEN), true);
        }
    }

    private static final Meaning UNKNOWN = Meaning.open(0, false);

    private static final Map<String, Meaning> MEANINGS = Map.ofEntries(
            Map.entry("ISSUER_COMMENTS", Meaning.open(0, false)),
            Map.entry("INFORMATION_SUPPLIED", Meaning.open(0, true)),
            Map.entry("NOTIFICATION_OF_FRAUD", Meaning.asks(Stage.INQUIRY, 10)),
            Map.entry("REQUEST_FOR_INFORMATION", Meaning.asks(Stage.INQUIRY, 20)),
            Map.entry("NOTIFICATION_OF_CHARGEBACK", Meaning.asks(Stage.OPENED, 30)),
            Map.entry("CHARGEBACK", Meaning.moves(40, Funds.TAKEN)),
            Map.entry("CHARGEBACK_REVERSED", Meaning.moves(50, Funds.RETURNED)),
            Map.entry("PREARBITRATION_OPEN", Meaning.open(60, false)),
            Map.entry("PREARBITRATION_DECLINED", Meaning.open(61, false)),
            Map.entry("SCHEME_ARBITRATION", Meaning.open(62, false)),
            Map.entry("DISPUTE_DEFENSE_PERIOD_ENDED", new Meaning(Stage.LOST, 71, true, Optional.empty(), true)),
            Map.entry("ISSUER_RESPONSE_TIMEFRAME_EXPIRED", Meaning.won(70)),
            Map.entry("SECOND_CHARGEBACK", Meaning.lost(80)),
            Map.entry("PREARBITRATION_WON", Meaning.won(90)),
            Map.entry("PREARBITRATION_LOST", Meaning.lost(90)),
            Map.entry("SCHEME_ARBITRATION_WON", Meaning.won(100)),
            Map.entry("SCHEME_ARBITRATION_LOST", Meaning.lost(100)));

    private AdyenDisputes() {}

    static boolean isOne(String eventCode) {
        return FAMILY.matcher(eventCode).matches();
    }

    static Dispute.Report report(AdyenJson.Item item, Optional<Money> money) {
        String code = item.eventCode();
        boolean isKnown = item.isSuccess() && MEANINGS.containsKey(code);
        Meaning means = isKnown ? MEANINGS.get(code) : UNKNOWN;
        String reason = CardNumbers.hiddenIn(ForeignText.brief(Optional.ofNullable(item.reason()).orElse("")));
        return new Dispute.Report(item.pspReference(), Optional.ofNullable(item.originalReference()).filter(name -> !name.isEmpty()),
                money, reason, code,
                Optional.ofNullable(item.eventDate()).map(OffsetDateTime::toInstant), isKnown, means.stage, means.rank, means.isFinal,
                means.funds, means.funds.map(funds -> means.rank).orElse(0), false, means.answered, dueBy(item));
    }

    /** It is not signed, so it decides nothing: people are reminded by it. */
    private static Optional<Instant> dueBy(AdyenJson.Item item) {
        try {
            return Optional.ofNullable(item.additionalData().get("defensePeriodEndsAt")).map(OffsetDateTime::parse)
                    .map(OffsetDateTime::toInstant);
        } catch (DateTimeException unreadable) {
            return Optional.empty();
        }
    }
}
