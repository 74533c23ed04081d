package io.chargeonce.load.chaos;

import java.util.Arrays;
import java.util.Locale;

/** The families of faults that a campaign draws from. */
public enum FaultKind {
    KILL, FREEZE, BROKER, POSTGRES, NETWORK, PSP, REBALANCE, REDELIVERY;

    public static FaultKind fromTag(String tag) {
        return Arrays.stream(values()).filter(kind -> kind.tag().equals(tag)).findFirst().orElseThrow(() -> new IllegalArgumentException(
                "there are no faults '%s'; there are %s".formatted(tag, Arrays.stream(values()).map(FaultKind::tag).toList())));
    }

    public String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
