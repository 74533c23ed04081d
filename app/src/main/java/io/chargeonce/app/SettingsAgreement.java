// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.database.Database;
import io.chargeonce.database.agreed.AgreedSettings;
import io.chargeonce.runtime.PipelineSettings;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;

/** What {@code migrate} does about the settings that all processes have in common. It says what a change would delete before it does. */
public final class SettingsAgreement {

    private final PipelineSettings own;
    private final PrintWriter out;

    /** @param own those of the command; its login must own the schema */
    public SettingsAgreement(PipelineSettings own, PrintWriter out) {
        this.own = own;
        this.out = out;
    }

    /** Whether the command's tiers and source are the agreed ones, or none were agreed yet. */
    public boolean isMet() {
        return asOwner(connection -> {
            AgreedSettings agreed = AgreedSettings.read(connection);
            boolean tiers = isNone(agreed.differenceTo(own.tiers()));
            boolean source = isNone(agreed.differenceTo(own.eventSource()));
            return tiers && source;
        });
    }

    private boolean isNone(Optional<String> difference) {
        difference.ifPresent(words -> out.printf("NOT as agreed: %s.%n", words));
        return difference.isEmpty();
    }

    /**
     * The first call sets the tiers, another one only if it is told to.
     *
     * @return false if this command's tiers are not the agreed ones
     */
    public boolean onTiers(boolean change) {
        return asOwner(connection -> {
            AgreedSettings agreed = AgreedSettings.read(connection);
            if (agreed.tiers().filter(own.tiers()::equals).isPresent() || agreed.tiers().isPresent() && !change) {
                return isNone(agreed.differenceTo(own.tiers()));
            }
            AgreedSettings.agreeOn(connection, own.tiers());
            out.printf("Retry tiers: %s for all processes%s.%n", AgreedSettings.words(own.tiers()), agreed.tiers()
                    .map(before -> "; they were %s, so restart every service".formatted(AgreedSettings.words(before))).orElse(""));
            return true;
        });
    }

    /**
     * The first call sets the source of events, another one only if it is told to.
     *
     * @return false if this command's source is not the agreed one
     */
    public boolean onSource(boolean change) {
        return asOwner(connection -> {
            AgreedSettings agreed = AgreedSettings.read(connection);
            if (agreed.source().filter(own.eventSource()::equals).isPresent() || agreed.source().isPresent() && !change) {
                return isNone(agreed.differenceTo(own.eventSource()));
            }
            AgreedSettings.agreeOn(connection, own.eventSource());
            out.printf("Source of events: %s for all processes%s.%n", own.eventSource(), agreed.source()
                    .map(before -> "; it was %s, so restart every service".formatted(before)).orElse(""));
            return true;
        });
    }

    /**
     * @param sure whether payments may be deleted
     * @return false if some would be deleted and nothing was changed
     */
    public boolean onRetention(int days, boolean sure) {
        return asOwner(connection -> {
            Duration wanted = Duration.ofDays(days);
            long now = AgreedSettings.read(connection).retention().toDays();
            if (days < now) {
                out.printf("Retention: with %d days instead of %d, up to %,d payments and their keys can be deleted at once. A key that is "
                        + "sent again after that is charged again.%n", days, now, AgreedSettings.deletableAfter(connection, wanted));
            }
            if (days < now && !sure) {
                out.printf("Nothing was changed. chargeonce migrate --retention %d --yes does it.%n", days);
                return false;
            }
            AgreedSettings.agreeOn(connection, wanted);
            out.printf("Retention: %d days for all processes, it was %d.%n", days, now);
            return true;
        });
    }

    private <T> T asOwner(Database.Work<T> work) {
        try (var owner = Database.openForCommand(own.databaseUrl(), own.databaseUser(), own.databasePassword())) {
            return owner.inTransaction(work);
        }
    }
}
