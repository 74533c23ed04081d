// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.terminal;

import io.chargeonce.database.Database;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.payment.Rail;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.reconcile.BankSource;
import io.chargeonce.reconcile.Reconciliation;
import io.chargeonce.reconcile.Source;
import io.chargeonce.reconcile.StripeSource;
import io.chargeonce.reconcile.report.Report;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(name = "reconcile", mixinStandardHelpOptions = true, usageHelpAutoWidth = true, sortOptions = false,
        description = {"Compares what a PSP or bank booked with what our attempts moved, attempt by attempt.",
            "Without --apply nothing is recorded, and the same comparison is shown. With --apply the report's lines are recorded, each "
                    + "once, and charge checks those that contradict our rows.",
            "Without --file and --fetch it compares the lines that are recorded."},
        exitCodeList = {"0:everything agrees", "1:there are differences", "2:wrong usage or settings",
            "3:Postgres or the PSP cannot be reached, or another comparison holds the lines"},
        footer = {"", "Examples:", "  What would be recorded from Adyen's report of one batch?",
            "    chargeonce bank reconcile --psp adyen --file settlement_detail_report_batch_4.csv",
            "  Each night, from Stripe itself:", "    chargeonce bank reconcile --psp stripe --fetch --apply"})
public final class ReconcileCommand implements Callable<Integer> {

    private static final int USAGE = 2;
    private static final int AWAY = 3;
    /** Stripe books a charge at once, and a debit succeeds when its bank has booked it; Adyen books when it pays out a batch. */
    private static final Duration AT_ONCE = Duration.ofHours(1);
    private static final Duration BY_BATCH = Duration.ofDays(7);
    /** Lines that were booked while the last list was read, or that a clock put a little earlier. */
    private static final Duration OVERLAP = Duration.ofDays(1);
    private static final Duration ALWAYS_LISTED = Duration.ofDays(3);
    /** A bank's file may be read long after its bookings: after an outage, or when a person has released it. */
    private static final Duration ALWAYS_TAKEN = Reconciliation.LOOKS_BACK;
    private static final int MOST_AS_JSON = 10_000;

    private final Supplier<ReconcileSettings> settings;
    private final InstantSource clock;

    @Spec
    CommandSpec spec;

    @Option(names = "--psp", required = true, paramLabel = "NAME", description = "The account's name, as attempts are stored with: stripe, "
            + "adyen, stripe-uk, bank.")
    String psp;

    @Option(names = "--file", paramLabel = "FILE", description = "The PSP's report.")
    Path file;

    @Option(names = "--fetch",
            description = "List Stripe's balance transactions, with the key of this account. For a bank: take the bookings and "
                    + "returns that bank-files has read.")
    boolean fetch;

    @Option(names = "--format", paramLabel = "FORMAT",
            description = "stripe (balance transactions as JSON lines, or the itemised balance report as CSV), adyen (the settlement "
                    + "details report as CSV), camt (a bank's camt.053 or camt.054), or plain (CSV: "
                    + "id,key,moved,amount,currency,reference,booked_at). Usually by the account's name.")
    String format;

    @Option(names = "--from", paramLabel = "TIME", converter = TimeOption.class,
            description = "Compare from this time: 2026-11-01, or 2026-11-01T12:00:00Z. Usually from the first recorded line, and at most "
                    + "40 days back.")
    Instant from;

    @Option(names = "--to", paramLabel = "TIME", converter = TimeOption.class,
            description = "Compare to this time. Usually to the newest recorded line; with --fetch, to now.")
    Instant to;

    @Option(names = "--settles-within", paramLabel = "DURATION",
            description = "How long the PSP may take to book what an attempt moved; what is younger is not expected yet. Stripe, "
                    + "and with --fetch: 1h, others: 7d.")
    String settlesWithin;

    @Option(names = "--apply", description = "Record the lines and the comparison.")
    boolean apply;

    @Option(names = "--most", paramLabel = "N", defaultValue = "50", description = "How many differences to show; 10000 with --json.")
    int most;

    @Option(names = "--json", description = "Print JSON: one object for each difference, then one for the comparison.")
    boolean json;

    public ReconcileCommand(Supplier<ReconcileSettings> settings, InstantSource clock) {
        this.settings = settings;
        this.clock = clock;
    }

    @Override
    public Integer call() throws IOException {
        List<String> problems = problems();
        if (!problems.isEmpty()) {
            problems.forEach(this::say);
            return USAGE;
        }
        ReconcileSettings given = settings.get();
        try (Database database = given.open()) {
            return reconcile(database, new Reconciliation(database, given.keys()), given);
        } catch (Report.WrongFormat | Reconciliation.NothingBooked | Reconciliation.OtherAccount wrong) {
            say(wrong instanceof Report.WrongFormat ? "%s is no such report: %s".formatted(file, wrong.getMessage()) : wrong.getMessage());
            return USAGE;
        } catch (StripeSource.NotListed notListed) {
            say(notListed.getMessage());
            return notListed.isAway() ? AWAY : USAGE;
        } catch (DatabaseRefused refused) {
            if (!refused.isPassing()) {
                throw refused;
            }
            say("another comparison of %s holds the same lines, or Postgres is slow: run it again".formatted(psp));
            return AWAY;
        }
    }

    private List<String> problems() {
        var problems = new ArrayList<String>();
        if (!psp.matches("[a-z][a-z0-9-]{0,39}")) {
            problems.add("--psp is the name of an account, such as stripe or adyen-us");
        }
        if (fetch && file != null) {
            problems.add("--fetch asks the PSP and --file reads a report: say one of them");
        }
        if (file != null && !Files.isReadable(file)) {
            problems.add("--file: %s cannot be read".formatted(file));
        }
        if (from != null && to != null && !from.isBefore(to)) {
            problems.add("--from must be before --to");
        }
        if (most < 0 || most > MOST_AS_JSON) {
            problems.add("--most is 0 to %d".formatted(MOST_AS_JSON));
        }
        problem(() -> format()).ifPresent(problems::add);
        problem(() -> settlesWithin()).ifPresent(problems::add);
        return problems;
    }

    private static Optional<String> problem(Runnable read) {
        try {
            read.run();
            return Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.of(e.getMessage());
        }
    }

    private Report.Format format() {
        if (format == null) {
            return Report.Format.usual(psp);
        }
        return switch (format) {
            case "stripe" -> Report.Format.STRIPE;
            case "adyen" -> Report.Format.ADYEN;
            case "camt" -> Report.Format.CAMT;
            case "plain" -> Report.Format.PLAIN;
            default -> throw new IllegalArgumentException("--format is stripe, adyen, camt or plain, not '%s'".formatted(format));
        };
    }

    private Duration settlesWithin() {
        if (settlesWithin == null) {
            return Report.Format.usual(psp) == Report.Format.STRIPE || fetch ? AT_ONCE : BY_BATCH;
        }
        try {
            return PipelineSettings.TIERS.parse(settlesWithin).getFirst();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("--settles-within is a duration such as 1h or 7d, not '%s'".formatted(settlesWithin), e);
        }
    }

    private int reconcile(Database database, Reconciliation reconciliation, ReconcileSettings given) throws IOException {
        Optional<Path> kept =
                fetch && !apply && !isBank() ? Optional.of(Files.createTempFile("chargeonce-balance", ".jsonl")) : Optional.empty();
        try {
            Optional<Instant> end = Optional.ofNullable(to).or(() -> fetch ? Optional.of(clock.instant().truncatedTo(ChronoUnit.SECONDS))
                    : Optional.empty());
            Optional<Source> source = source(database, reconciliation, given, end, kept);
            var request = new Reconciliation.Request(psp, source, Optional.ofNullable(from), end, settlesWithin(), apply,
                    json ? MOST_AS_JSON : most);
            Reconciliation.Result result = reconciliation.run(request);
            var page = new Page(psp, request, result);
            // References are the PSP's words.
            (json ? page.json() : page.text()).forEach(line -> spec.commandLine().getOut().println(json ? line : Printable.of(line)));
            spec.commandLine().getOut().flush();
            return result.totals().balanced() ? 0 : 1;
        } finally {
            if (kept.isPresent()) {
                Files.deleteIfExists(kept.get());
            }
        }
    }

    private boolean isBank() {
        return Rail.BANK_DEBIT.isServedBy(psp);
    }

    private Optional<Source> source(Database database, Reconciliation reconciliation, ReconcileSettings given, Optional<Instant> end,
                                    Optional<Path> kept) {
        if (isBank() && (fetch || file != null) && !BankSource.isKnown(database, psp)) {
            throw new CommandLine.ParameterException(spec.commandLine(), "bank-files has no account at a bank called " + psp
                    + ", and nothing was ever collected for one: --psp is its name in CHARGEONCE_BANKS");
        }
        if (file != null) {
            return Optional.of(new Source.OfFile(file, format().report(psp)));
        }
        if (!fetch) {
            return Optional.empty();
        }
        Instant last = end.orElseThrow();
        Instant first = Optional.ofNullable(from).or(() -> reconciliation.comparedTo(psp).map(read -> earlier(read.minus(OVERLAP), last)))
                .orElse(last.minus(Reconciliation.LOOKS_BACK));
        if (isBank()) {
            return Optional.of(BankSource.between(database, given.keys(), psp, first, last));
        }
        StripeSettings account = given.accounts().stream().filter(one -> one.name().equals(psp))
                .filter(StripeSettings.class::isInstance).map(StripeSettings.class::cast).findFirst()
                .orElseThrow(() -> new CommandLine.ParameterException(spec.commandLine(), "--fetch needs the key of an account at Stripe "
                        + "called %s: CHARGEONCE_STRIPE_API_KEY_FILE or CHARGEONCE_PSPS. Other PSPs' reports are files: --file"
                                .formatted(psp)));
        var listed = new StripeSource(account, first.truncatedTo(ChronoUnit.SECONDS), last);
        return Optional.of(kept.isPresent() ? listed.keptIn(kept.get()) : listed);
    }

    /** What was read in another way must not hide that the last nights were not listed. */
    private Instant earlier(Instant read, Instant last) {
        Instant lastNights = last.minus(isBank() ? ALWAYS_TAKEN : ALWAYS_LISTED);
        return read.isBefore(lastNights) ? read : lastNights;
    }

    private void say(String problem) {
        Screen.tell(spec, problem);
    }
}
