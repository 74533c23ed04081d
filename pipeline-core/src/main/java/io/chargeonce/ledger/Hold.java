// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ledger;

import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * A person keeps a PSP, a merchant or a tier from working, or overrules a PSP's breaker. Times are the database's.
 *
 * @param name  for a tier, its number
 * @param by    the person's login
 * @param until when it ends by itself; empty if only a person ends it
 */
public record Hold(Kind kind, String name, Action action, String reason, String by, Instant since, Optional<Instant> until) {

    /** What is held. */
    public enum Kind {
        /** No new attempt goes there. Status queries about earlier attempts do. */
        PSP,
        /** Its payments are accepted, and wait. */
        MERCHANT,
        /** What is due in that tier waits until the tier is resumed. */
        TIER;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<Kind> fromTag(String tag) {
            return Arrays.stream(values()).filter(kind -> kind.tag().equals(tag)).findFirst();
        }
    }

    public enum Action {
        PAUSE,
        /** A PSP only: its breaker counts as closed. */
        FORCE;

        public String tag() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<Action> fromTag(String tag) {
            return Arrays.stream(values()).filter(action -> action.tag().equals(tag)).findFirst();
        }
    }

    public boolean isPause() {
        return action == Action.PAUSE;
    }

    public boolean isOf(Kind what, String named) {
        return kind == what && name.equals(named);
    }
}
