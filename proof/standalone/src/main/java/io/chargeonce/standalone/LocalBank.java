// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.BankFilesSettings;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.sftp.SftpPlace;
import io.chargeonce.bank.store.Debtors;
import io.chargeonce.bank.xml.Creditor;
import io.chargeonce.bank.xml.Debtor;
import io.chargeonce.database.Database;
import io.chargeonce.database.Sql;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.sandbox.bank.SandboxBank;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.vault.Vault;
import io.micrometer.core.instrument.Gauge;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The account at the bank of a pipeline on one machine, and the mandates of its merchants that its documentation names. */
final class LocalBank {

    static final String NAME = "bank";
    /** What the bank does follows from the name: see {@link SandboxBank}. */
    static final List<String> MANDATES = List.of("mandate_well", "mandate_no-funds", "mandate_closed", "mandate_returned");

    private static final Creditor US = new Creditor("Chargeonce GmbH", "DE89370400440532013000", "COBADEFFXXX", "DE98ZZZ09999999999");
    private static final Debtor PAYER = new Debtor("Jane Doe", "DE02120300000000202051", Optional.of("BYLADEM1001"));
    private static final Duration A_FILE_EVERY = Duration.ofSeconds(2);

    private static final String ADD = """
            INSERT INTO bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor) VALUES (?, 'acme', ?, current_date, ?)
            ON CONFLICT DO NOTHING
            """;

    private LocalBank() {}

    /** Adds the mandates. Idempotent. */
    static void create(PipelineSettings settings, Vault vault) {
        try (var database = Database.open(settings.databaseUrl(), settings.databaseUser(), settings.databasePassword().get(), 1)) {
            MANDATES.forEach(mandate -> add(database, vault, mandate));
        }
    }

    /** Adds a mandate of acme's. Idempotent. */
    static void add(Database database, Vault vault, String mandate) {
        database.inTransaction(connection -> Sql.update(connection, ADD, mandate, NAME, Debtors.seal(vault, mandate, PAYER)));
    }

    /** So that {@code load check} finds its ledger, as those of the PSPs' simulators. */
    static void publish(SandboxBank bank, Meters meters) {
        Gauge.builder("chargeonce.psp.info", () -> 1).description("Where this account's PSP is asked").tag("psp", NAME)
                .tag("api", bank.ledger().toString()).register(meters.registry());
    }

    /** A file every two seconds, around the clock. */
    static BankFilesSettings settings(PipelineSettings pipeline, SandboxBank bank, Vault vault) {
        var place =
                new SftpPlace("127.0.0.1", bank.port(), bank.user(), Optional.of(bank.passwordFile()), Optional.empty(), bank.knownHosts(),
                        "/" + SandboxBank.FROM_CUSTOMERS, "/" + SandboxBank.TO_CUSTOMERS, Duration.ofSeconds(10));
        var windows = new Windows(ZoneId.of("Europe/Berlin"), List.of(), Set.of(), 1, Duration.ZERO, Optional.of(A_FILE_EVERY));
        return new BankFilesSettings(pipeline, List.of(new BankAccount(NAME, "CO", US, place, windows, Duration.ofMinutes(5), 5)), vault,
                SettlementKeys.NONE,
                Duration.ofMillis(500), Optional.empty());
    }
}
