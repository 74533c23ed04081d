// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.json.Json;
import io.chargeonce.dlq.personal.Erase;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "erase", usageHelpAutoWidth = true, sortOptions = false,
        description = {
            "Erases customer, description, receipt address, what was sent to PSPs, and what PSPs answered in words, from finished "
                    + "payments.",
            "Amounts, merchant, ids, payment methods, references and states stay. A repeat of the request still gets its answer.",
            "Needs the role chargeonce_eraser. Without --yes it only shows what it would do."},
        exitCodeList = "1:a payment is not finished, or this merchant has no such payment; the others were erased",
        footer = {"  A customer asks a merchant to be forgotten:",
            "    chargeonce dlq erase acme PAYMENT --reason \"request 4711\" --yes",
            "  A list of payments, one per line:",
            "    chargeonce dlq erase acme --from payments.txt --reason \"request 4711\""})
final class EraseCommand implements Callable<Integer> {

    private static final int NO = 1;
    private static final String STDIN = "-";

    /** What no command of ours can erase, in the words of docs/card-data.md. */
    static final String REMAINS = "It stays on Kafka's topics until their retention ends (14 days, dead letters until "
            + "compaction), in backups until they are deleted, and at the PSP, which has to be asked. Records that could not be read are "
            + "sealed "
            + "and not searched: purge those that are this person's. What people typed as reasons and evidence stays in the audit log.";

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(index = "0", paramLabel = "MERCHANT", description = "Whose payments they are.")
    String merchant;

    @Parameters(index = "1..*", arity = "0..*", paramLabel = "PAYMENT",
            description = "The payments' ids, and those of stored payment methods (pmt_…).")
    List<String> payments = new ArrayList<>();

    @Option(names = "--from", paramLabel = "FILE", description = "Also those in this file, one per line; - is standard input.")
    Optional<String> from;

    @Option(names = "--yes", description = "Do it. Without it, the command only shows what it would do.")
    boolean yes;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why, without the person's data; kept in the audit log.")
    Optional<String> reason;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        problems.needsReason(reason);
        var all = new ArrayList<>(payments);
        from.ifPresent(file -> read(file, all, problems));
        if (all.isEmpty() && !problems.any()) {
            problems.add("name payments, or a file of them with --from");
        }
        return problems.any() ? problems.print(spec) : dlq.with(spec, queue -> erase(queue, all.stream().distinct().toList()));
    }

    private static void read(String file, List<String> payments, InputProblems problems) {
        try (var in = file.equals(STDIN) ? TextFile.open(System.in) : TextFile.open(Path.of(file))) {
            in.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(payments::add);
        } catch (IOException | UncheckedIOException e) {
            problems.add("--from: '%s' can't be read (%s)".formatted(file, e.getMessage()));
        }
    }

    private int erase(DeadLetterQueue queue, List<String> all) {
        AuditContext by = ActsAs.auditContext(spec, queue, reason);
        Map<Erase.Outcome, Long> counts = new EnumMap<>(Erase.Outcome.class);
        new Erase(queue, yes).run(merchant, all, by, results -> {
            results.forEach(result -> {
                counts.merge(result.outcome(), 1L, Long::sum);
                report(result);
            });
            if (!common.json && all.size() > results.size()) {
                spec.commandLine().getErr().printf("%,d of %,d%n", counts.values().stream().mapToLong(Long::longValue).sum(), all.size());
                spec.commandLine().getErr().flush();
            }
        });
        say(counts, by);
        return counts.containsKey(Erase.Outcome.UNFINISHED) || counts.containsKey(Erase.Outcome.UNKNOWN) ? NO : 0;
    }

    private void report(Erase.Result result) {
        if (common.json) {
            var json = new LinkedHashMap<String, Object>();
            json.put("payment_id", result.payment());
            json.put("result", result.outcome().tag());
            Json.putIfPresent(json, "state", result.state());
            JsonLines.print(Screen.of(spec), json);
            return;
        }
        why(result).ifPresent(why -> Screen.of(spec).say("%s: %s.".formatted(Printable.of(result.payment()), why)));
    }

    private Optional<String> why(Erase.Result result) {
        return switch (result.outcome()) {
            case ERASED, ERASABLE, NOTHING_LEFT -> Optional.empty();
            case UNKNOWN -> Optional.of("left as it is, for %s has no such payment".formatted(merchant));
            case UNFINISHED ->
                Optional.of(("left whole, for it is not finished (%s): money may still move for it, its outcome may still be published, "
                        + "or a purge of it can be undone for 30 days. Merge or purge what is dead, wait for the rest, and repeat the "
                        + "command")
                        .formatted(result.state().orElse("unknown")));
        };
    }

    private void say(Map<Erase.Outcome, Long> counts, AuditContext by) {
        if (common.json) {
            var json = new LinkedHashMap<String, Object>();
            for (Erase.Outcome outcome : Erase.Outcome.values()) {
                json.put(outcome.tag(), counts.getOrDefault(outcome, 0L));
            }
            json.put("run", by.run());
            JsonLines.print(Screen.of(spec), json);
            return;
        }
        Screen screen = Screen.of(spec);
        screen.say("%s, nothing was left of %,d, %,d are not finished, %,d are not there.".formatted(
                yes ? "%,d were erased".formatted(counts.getOrDefault(Erase.Outcome.ERASED, 0L))
                        : "%,d would be erased".formatted(counts.getOrDefault(Erase.Outcome.ERASABLE, 0L)),
                counts.getOrDefault(Erase.Outcome.NOTHING_LEFT, 0L), counts.getOrDefault(Erase.Outcome.UNFINISHED, 0L),
                counts.getOrDefault(Erase.Outcome.UNKNOWN, 0L)));
        screen.say(yes ? "Recorded as %s by %s. %s".formatted(by.run(), by.actor(), REMAINS)
                : "Nothing was changed. Do it with --yes. " + REMAINS);
    }
}
