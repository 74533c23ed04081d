// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The outcome of a payment at the PSP. A simulator gets rules for it; at a real PSP only the test cards decide. */
public enum PlannedOutcome {
    CHARGED(Optional.empty()),
    DECLINED(Optional.empty()),
    FAILS_ONCE(Optional.of("{\"fault\":\"500_before\",\"operation\":\"create\",\"times\":1")),
    FAILS_ALWAYS(Optional.of("{\"fault\":\"500_before\",\"operation\":\"create\",\"times\":\"always\"")),
    UNKNOWN_ONCE(Optional.of("{\"fault\":\"500_after\",\"operation\":\"confirm\",\"times\":1")),
    ANSWER_LOST(Optional.of("{\"fault\":\"answer_lost\",\"operation\":\"confirm\",\"times\":1"));

    private static final List<String> GOOD = List.of("pm_card_visa", "pm_card_mastercard");
    private static final List<String> BAD = List.of("pm_card_visa_chargeDeclined", "pm_card_visa_chargeDeclinedInsufficientFunds",
            "pm_card_visa_chargeDeclinedLostCard");

    private final Optional<String> rule;

    PlannedOutcome(Optional<String> rule) {
        this.rule = rule;
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Any of these cards meets it. */
    public List<String> cards() {
        return this == DECLINED ? BAD : GOOD;
    }

    String card(int pick) {
        return cards().get(pick % cards().size());
    }

    /** The merchant's mandate by which the sandbox's bank lets a debit end so. It has no other ends. */
    public String mandate(String merchant) {
        return (this == DECLINED ? "mandate_no-funds-" : "mandate_well-") + merchant;
    }

    /** The simulator's fault rule for the payment with this reference, if it takes one. */
    Optional<String> ruleFor(String reference) {
        return rule.map(start -> start + ",\"metadata\":{\"reference\":\"" + reference + "\"}}");
    }
}
