// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.Seal;
import io.chargeonce.audit.SealCheck;
import io.chargeonce.audit.Unsealed;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.ProgressMessage;
import io.chargeonce.dlq.topic.SealCopies;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Ages;
import io.chargeonce.text.Counted;
import io.chargeonce.text.Printable;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;

/** Checks the audit log against its seals, and prints what disagrees and since when the rest agrees. For one call. */
final class AuditVerification {

    private static final int MOST = 100;
    /** The charge service seals at least every minute, so no record stays unsealed for this long. */
    private static final Duration TOO_LONG = Duration.ofMinutes(3);

    private final CommandSpec spec;
    private final boolean json;
    private final DeadLetterQueue queue;
    private final AuditKeys keys;
    private final Screen screen;
    private long differences;
    private long lastDifferentCopy;

    AuditVerification(CommandSpec spec, boolean json, DeadLetterQueue queue, AuditKeys keys) {
        this.spec = spec;
        this.json = json;
        this.queue = queue;
        this.keys = keys;
        this.screen = Screen.of(spec);
    }

    /** @param kafka empty if the copies are not to be checked */
    int run(SealCheck.Start after, Optional<KafkaConnection> kafka) {
        var check = new SealCheck(queue.database(), keys, this::tell);
        SealCheck.Report report =
                ProgressMessage.say(() -> "%,d seals checked".formatted(check.seals()), spec, json, () -> check.check(after));
        kafka.ifPresent(connection -> ProgressMessage.say("reading " + queue.topics().auditSeals(), spec, json, () -> {
            SealCopies.compare(queue, connection, keys, after, this::tellCopy);
            return 0;
        }));
        if (json) {
            JsonLines.print(screen, json(report, after, kafka.isPresent()));
        } else {
            print(report, after, kafka.isPresent());
        }
        return holds(report, kafka.isPresent()) ? 0 : 1;
    }

    /** Without keys and copies the seals' origin is not known. */
    private boolean holds(SealCheck.Report report, boolean compared) {
        return differences == 0 && (compared || report.otherKeys().isEmpty());
    }

    /** Only what holds, and what the database's owner cannot have made alone, is a seal to start from. */
    private Optional<String> next(SealCheck.Report report, SealCheck.Start after, boolean compared) {
        return report.last().filter(last -> holds(report, compared) && (compared || !keys.isEmpty()) && isKnown(after))
                .map(last -> SealCheck.Start.after(last).toString());
    }

    private static boolean isKnown(SealCheck.Start after) {
        return after.seal() == 0 || after.mark().isPresent();
    }

    private void tellCopy(SealCheck.Finding finding) {
        lastDifferentCopy = Math.max(lastDifferentCopy, finding.seal().orElse(0));
        tell(finding);
    }

    private void tell(SealCheck.Finding finding) {
        differences++;
        if (differences > MOST) {
            return;
        }
        if (json) {
            var line = new LinkedHashMap<String, Object>();
            finding.seal().ifPresent(seal -> line.put("seal", seal));
            line.put("difference", finding.what());
            JsonLines.print(screen, line);
        } else {
            screen.print("%s  %s", finding.seal().isPresent() ? "seal " + finding.seal().getAsLong() : "–", Printable.of(finding.what()));
        }
    }

    private void print(SealCheck.Report report, SealCheck.Start after, boolean compared) {
        report.last().ifPresentOrElse(last -> screen.say(holds(report, last, after.seal(), compared)),
                () -> screen.say("Nothing is sealed yet."));
        report.forgotten()
                .ifPresent(seal -> screen.say("Records up to %,d are forgotten, as seal %d of %s UTC says. Their seals were checked."
                        .formatted(seal.forgotten().orElse(0L), seal.number(), seal.sealedAt())));
        if (differences > 0) {
            screen.say(("%s. The audit log was changed in the database, the database was restored from a backup, or Kafka lost the copies "
                    + "of seals: compare these with a backup.").formatted(Counted.of(differences, "difference")));
        }
        if (report.plain() > 0) {
            screen.say("%s made without a key: the owner of the database could rewrite such a seal together with its records."
                    .formatted(report.plain() == 1 ? "1 seal was" : "%,d seals were".formatted(report.plain())));
        }
        if (!report.otherKeys().isEmpty()) {
            screen.say("Marks of key %s were not checked: name the file that has it in CHARGEONCE_AUDIT_KEY_FILE."
                    .formatted(String.join(", ", report.otherKeys())));
        }
        if (!compared) {
            screen.say("The copies in Kafka were not compared.");
        }
        printNext(report, after, compared);
        Unsealed unsealed = report.unsealed();
        if (unsealed.records() > 0) {
            screen.say(
                    "Not sealed yet: %s, the oldest for %s%s.".formatted(Counted.of(unsealed.records(), "record"),
                            Ages.brief(age(unsealed)),
                            age(unsealed).compareTo(TOO_LONG) > 0 ? "; is no charge service running?" : ""));
        }
    }

    /** The command has a line to itself, however long, so that it can be copied. */
    private void printNext(SealCheck.Report report, SealCheck.Start after, boolean compared) {
        next(report, after, compared).ifPresentOrElse(start -> {
            screen.say("The next time, for what comes after it:");
            screen.print("%s", "chargeonce dlq audit --verify --after-seal " + start);
        }, () -> {
            if (report.last().isPresent() && holds(report, compared)) {
                screen.say("The next check cannot start from here: " + (isKnown(after)
                        ? "neither copies in Kafka nor a key say who made these seals."
                        : "this one began after a seal without its mark."));
            }
        });
    }

    private String holds(SealCheck.Report report, Seal last, long after, boolean compared) {
        if (report.seals() == 0) {
            return "No seal came after seal %d.".formatted(after);
        }
        String checked = "Checked: %s in %s, up to seal %d of %s UTC.".formatted(Counted.of(report.records(), "record"),
                Counted.of(report.seals(), "seal"), last.number(), last.sealedAt());
        if (lastDifferentCopy >= last.number() || report.holdsSince().filter(last.sealedAt()::equals).isPresent() && differences > 0) {
            return checked + " The newest seal does not hold.";
        }
        if (lastDifferentCopy > 0) {
            return checked + " What was sealed after seal %d is as it was written.".formatted(lastDifferentCopy);
        }
        if (!report.otherKeys().isEmpty() && !compared) {
            return checked + " Each fits its seal. Who made the seals was not checked.";
        }
        return checked + report.holdsSince().map(since -> " What was written after %s UTC is as it was written.".formatted(since))
                .orElse(" Each is as it was written.");
    }

    private static Duration age(Unsealed unsealed) {
        return Duration.ofSeconds((long) unsealed.oldestSeconds());
    }

    private Map<String, Object> json(SealCheck.Report report, SealCheck.Start after, boolean compared) {
        var all = new LinkedHashMap<String, Object>();
        all.put("holds", holds(report, compared));
        all.put("differences", differences);
        all.put("seals", report.seals());
        all.put("records", report.records());
        report.holdsSince().ifPresent(since -> all.put("holds_since", since));
        report.last().ifPresent(last -> {
            all.put("last_seal", last.number());
            all.put("sealed_until", last.sealedAt());
        });
        next(report, after, compared).ifPresent(start -> all.put("next_after_seal", start));
        report.forgotten().ifPresent(seal -> {
            all.put("forgotten_to", seal.forgotten().orElse(0L));
            all.put("forgotten_at", seal.sealedAt());
        });
        all.put("without_key", report.plain());
        all.put("keys_not_given", report.otherKeys());
        all.put("copies_compared", compared);
        all.put("unsealed", report.unsealed().records());
        all.put("oldest_unsealed_seconds", report.unsealed().oldestSeconds());
        return all;
    }
}
