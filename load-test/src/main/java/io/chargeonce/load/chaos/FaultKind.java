package io.chargeonce.load.chaos;

import java.util.Locale;

/** The families of faults that a campaign draws from. */
public enum FaultKind {
    KILL, FREEZE, BROKER, POSTGRES, NETWORK, PSP, REBALANCE;

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
