// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.sftp.SftpPlace;
import io.chargeonce.bank.store.Debtors;
import io.chargeonce.bank.xml.Creditor;
import io.chargeonce.bank.xml.Debtor;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.outside.BankModel;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.vault.Vault;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The rail of direct debits in a universe: a bank, its mandates, what goes wrong there, and a person who has a file sent once more. A
 * universe has it only if it knows the fault. Only the strand that has the turn may call it.
 */
final class BankRail {

    /** Before the other routes. */
    static final String ROUTE = "method=mandate_ -> bank; ";

    static final Duration POLL = Duration.ofMillis(400);
    private static final Duration SHORTEST = Duration.ofMillis(500);
    private static final Duration LONGEST = Duration.ofSeconds(8);
    /** Shorter than some trouble, so that debits stay without an answer. */
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(4);
    private static final double RESENDS = 0.2;
    private static final List<String> ENDS =
            List.of(BankModel.GOOD, BankModel.NO_FUNDS, BankModel.CLOSED, BankModel.RETURNED, BankModel.UNREADABLE);
    private static final double CUT_OFFS = 0.5;
    private static final int SECONDS_A_DAY = 86_400;
    /** What opens none of the universe's mandates. */
    private static final String NO_ACCOUNT = "00";
    /** A universe waits for no window that opens later. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final Kernel kernel;
    private final PostgresView postgres;
    private final BankModel bank = new BankModel();
    private final boolean there;

    BankRail(Kernel kernel, FaultScheduler scheduler, PostgresView postgres) {
        this.kernel = kernel;
        this.postgres = postgres;
        this.there = scheduler.knows(Fault.BANK);
        bank.enter();
    }

    boolean isThere() {
        return there;
    }

    BankModel bank() {
        return bank;
    }

    /** The account, its merchants' mandates, and the processes. Everything may go wrong from here on. */
    void begin(Cluster cluster) {
        if (there) {
            postgres.change("INSERT INTO bank (bank, next_cutoff, answer_within_s) VALUES ('%s', now(), %d)".formatted(BankModel.NAME,
                    ANSWER_WITHIN.toSeconds()));
            Shop.MERCHANTS.stream().flatMap(merchant -> ENDS.stream().map(end -> mandate(merchant, end + merchant)))
                    .forEach(postgres::change);
            cluster.bank(kernel.chance(CUT_OFFS) ? cutOffs() : new Windows(ZoneOffset.UTC, List.of(), Set.of(), 1, Duration.ZERO,
                    Optional.of(Duration.ofSeconds(1))));
            bank.unkind(kernel.chance(0.6));
            cluster.startBankFiles();
        }
    }

    /** Every some seconds, each a while after its file is sealed. A universe begins in the last seconds of a holiday. */
    private Windows cutOffs() {
        int holiday = 1 + kernel.random().nextInt(15);
        int every = 4 + kernel.random().nextInt(8);
        ZoneOffset zone = ZoneOffset.ofTotalSeconds(-holiday);
        List<LocalTime> times = IntStream.iterate(every - 1, second -> second < SECONDS_A_DAY, second -> second + every)
                .mapToObj(LocalTime::ofSecondOfDay).toList();
        kernel.tell("the bank takes files every " + every + " s after a holiday of " + holiday + " s more");
        return new Windows(zone, times, Set.of(LocalDate.ofInstant(kernel.truth(), zone)), 1, Duration.ofSeconds(every / 2),
                Optional.empty());
    }

    private static String mandate(String merchant, String mandate) {
        var payer = new Debtor("Jane Doe", "DE02120300000000202051", Optional.of("BYLADEM1001"));
        return """
                INSERT INTO bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor)
                VALUES ('%s', '%s', '%s', (now() - interval '30 days')::date, decode('%s', 'hex'))
                """.formatted(mandate, merchant, BankModel.NAME,
                mandate.startsWith(BankModel.UNREADABLE) ? NO_ACCOUNT
                        : HexFormat.of().formatHex(Debtors.seal(Vault.IN_THE_CLEAR, mandate, payer)));
    }

    /** Without secrets. */
    static BankFilesSettings settings(PipelineSettings pipeline, Windows windows) {
        var nowhere = Path.of("/nowhere");
        var place = new SftpPlace("bank.example", 22, "shop", Optional.of(nowhere), Optional.empty(), nowhere, "/out", "/in",
                Duration.ofSeconds(1));
        var account = new BankAccount(BankModel.NAME, "CO", new Creditor("A shop", "DE89370400440532013000", "COBADEFFXXX",
                "DE98ZZZ09999999999"), place, windows, ANSWER_WITHIN, 5);
        return new BankFilesSettings(pipeline, List.of(account), Vault.IN_THE_CLEAR, SettlementKeys.of(Optional.empty()), POLL,
                Optional.empty());
    }

    Map<Fault, Runnable> all() {
        return there ? Map.of(Fault.BANK, this::hurt) : Map.of();
    }

    private void hurt() {
        if (kernel.chance(RESENDS)) {
            resend();
            return;
        }
        BankModel.Trouble trouble = BankModel.Trouble.values()[kernel.random().nextInt(BankModel.Trouble.values().length)];
        Duration time = kernel.between(SHORTEST, LONGEST);
        kernel.tell("the bank hurt", "the bank is " + trouble + " for " + time.toMillis() + " ms");
        bank.begin(trouble);
        kernel.spawn(kernel.world(), "heal", () -> {
            kernel.sleep(time);
            bank.end(trouble);
        });
    }

    private static final String RESEND = """
            SELECT resend_bank_batch(batch_id, 'auditor', 'it is simulated')::text FROM bank_batch
             WHERE state = 'sent' ORDER BY batch_id LIMIT 1
            """;

    private void resend() {
        kernel.tell("a file sent once more", "a person has a file sent once more");
        postgres.text(RESEND);
    }

    private static final String REVOKE = """
            SELECT revoke_mandate(mandate_id)::text FROM bank_mandate WHERE mandate_id LIKE '%s%%' AND revoked_at IS NULL
            """.formatted(BankModel.UNREADABLE);

    /** The key of what cannot be read is lost for good, so a person revokes those mandates: else their debits wait for it. */
    void heal() {
        bank.allWell();
        if (there) {
            postgres.change(REVOKE);
        }
    }

    private static final String WINDOW = """
            SELECT extract(epoch FROM next_cutoff - clock_timestamp())::bigint::text FROM bank
             WHERE EXISTS (SELECT FROM bank_batch_item WHERE batch_id IS NULL AND NOT fenced)
            """;

    /** How long what is collected waits for a window, if that is long: for a weekend, because days have passed or clocks are off. */
    Optional<Duration> waitsForItsWindow() {
        return there ? postgres.text(WINDOW).map(Long::parseLong).map(Duration::ofSeconds).filter(wait -> wait.compareTo(SOON) > 0)
                : Optional.empty();
    }

    private static final String UNDER_WAY = """
            SELECT 'under way' WHERE EXISTS (SELECT FROM bank_batch
                                              WHERE state IN ('sealed', 'rendered', 'uploading', 'uploaded', 'renaming'))
                                  OR EXISTS (SELECT FROM bank_batch_item WHERE batch_id IS NULL AND NOT fenced)
                                  OR EXISTS (SELECT FROM bank_line WHERE state = 'new')
            """;

    boolean isAtRest() {
        return !there || bank.isIdle() && postgres.text(UNDER_WAY).isEmpty();
    }
}
