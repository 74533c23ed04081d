// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.dispute;

import java.util.Arrays;
import java.util.Locale;

/** Where a dispute can stand. */
public enum DisputeStep {
    /** The bank only asks. */
    INQUIRY("inquiry", "not_taken"),
    /** The customer wants the money back, and has not got it yet. */
    OPENED("opened", "not_taken"),
    /** The bank has taken the money from the merchant. */
    TAKEN("opened", "taken"),
    /** The merchant has it again, until the bank answers. */
    RETURNED("opened", "returned"), WON("won", "returned"), LOST("lost", "taken");

    private final String stage;
    private final String funds;

    DisputeStep(String stage, String funds) {
        this.stage = stage;
        this.funds = funds;
    }

    public String stage() {
        return stage;
    }

    public String funds() {
        return funds;
    }

    public boolean hasTheMoney() {
        return this == TAKEN || this == LOST;
    }

    public static DisputeStep fromText(String text) {
        return Arrays.stream(values()).filter(step -> step.name().toLowerCase(Locale.ROOT).equals(text)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a dispute has no step %s; it has %s".formatted(text,
                        Arrays.stream(values()).map(step -> step.name().toLowerCase(Locale.ROOT)).toList())));
    }
}
