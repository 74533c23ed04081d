// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The settings of the witness. Immutable.
 *
 * @param name            names its groups, transactions and topics in Kafka; empty for the prefix of the pipeline's topics
 * @param stateFolder     where its history lies; without one it is made at each start and read from Kafka again
 * @param overdueAfter    how long the next sign of an operation may take, beyond the delay of its tier
 * @param differenceAfter how long a difference must last to count
 * @param history         how long journeys are kept
 * @param look            how often it looks at all open operations, at most
 */
public record WitnessSettings(Optional<String> name, Optional<Path> stateFolder, Duration overdueAfter, Duration differenceAfter,
        Duration history, Duration look) {

    public static final Setting<Optional<String>> NAME = Setting.string("CHARGEONCE_WITNESS_NAME",
            "The name of this console's witness; each of several consoles needs another one. Without it, the prefix of the topics.")
            .optional();
    public static final Setting<Optional<String>> STATE_FOLDER = Setting.string("CHARGEONCE_WITNESS_STATE_FOLDER",
            "Folder for the witness's history, kept between starts; without it, a temporary folder that is filled from Kafka "
                    + "at each start.")
            .optional();
    public static final Setting<Duration> OVERDUE_AFTER = Setting.duration("CHARGEONCE_WITNESS_OVERDUE_AFTER",
            "How long the next sign of a payment may take, beyond the delay of its tier, before the witness calls it overdue; "
                    + "longer than a claim's lease.")
            .between("1s", "1d").orElse("5m");
    public static final Setting<Duration> DIFFERENCE_AFTER = Setting.duration("CHARGEONCE_WITNESS_DIFFERENCE_AFTER",
            "How long the witness's books must differ before that is an alert.").between("1s", "1h").orElse("1m");
    public static final Setting<Duration> HISTORY = Setting.duration("CHARGEONCE_WITNESS_HISTORY",
            "How long the witness keeps the journeys of payments.")
            .between("1h", "90d").orElse("14d");

    public static final List<Setting<?>> ALL = List.of(NAME, STATE_FOLDER, OVERDUE_AFTER, DIFFERENCE_AFTER, HISTORY);

    private static final Duration LOOK = Duration.ofSeconds(1);

    public WitnessSettings {
        name.filter(text -> !text.matches("[A-Za-z0-9._-]{1,60}")).ifPresent(text -> {
            throw new IllegalArgumentException(
                    NAME.name() + ": is '" + text + "', but must be 1 to 60 letters, digits, dots, dashes or underscores");
        });
    }

    public static WitnessSettings from(Settings settings) {
        return new WitnessSettings(settings.get(NAME), settings.get(STATE_FOLDER).map(Path::of), settings.get(OVERDUE_AFTER),
                settings.get(DIFFERENCE_AFTER), settings.get(HISTORY), LOOK);
    }
}
