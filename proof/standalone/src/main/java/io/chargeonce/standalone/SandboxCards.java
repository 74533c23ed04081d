// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.sandbox.adyen.AdyenSettings;
import java.util.Map;

/** Tokens that mean the same card at both simulators, as tokens of a vault that serves several PSPs do. */
final class SandboxCards {

    private static final Map<String, String> HOLDERS = Map.ofEntries(
            Map.entry("pm_card_visa", "APPROVED"), Map.entry("pm_card_visa_debit", "APPROVED"),
            Map.entry("pm_card_mastercard", "APPROVED"), Map.entry("pm_card_amex", "APPROVED"),
            Map.entry("pm_card_visa_chargeDeclined", "DECLINED"),
            Map.entry("pm_card_visa_chargeDeclinedInsufficientFunds", "NOT_ENOUGH_BALANCE"),
            Map.entry("pm_card_visa_chargeDeclinedLostCard", "BLOCK_CARD"),
            Map.entry("pm_card_chargeDeclinedExpiredCard", "CARD_EXPIRED"));

    private SandboxCards() {}

    static AdyenSettings at(AdyenSettings adyen) {
        AdyenSettings knowing = adyen;
        for (Map.Entry<String, String> card : HOLDERS.entrySet()) {
            knowing = knowing.storing(card.getKey(), card.getValue());
        }
        return knowing;
    }
}
