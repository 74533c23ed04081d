// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.terminal;

import io.chargeonce.bank.store.Debtors;
import io.chargeonce.bank.xml.Debtor;
import io.chargeonce.database.Sql;
import io.chargeonce.ledger.AuditLog;
import io.chargeonce.settlement.BankFileRows;
import io.chargeonce.text.Counted;
import io.chargeonce.text.TextFile;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** Mandates: a payment of the rail bank_debit names one as its payment method. */
@Command(name = "mandate", description = "Adds, lists and revokes mandates.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
        subcommands = {MandateCommand.Add.class, MandateCommand.Listing.class, MandateCommand.Revoke.class})
final class MandateCommand implements Runnable {

    @ParentCommand
    BankCommand bank;

    @Spec
    CommandSpec spec;

    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "say what to do: add, list or revoke");
    }

    @Command(name = "add", usageHelpAutoWidth = true, mixinStandardHelpOptions = true,
            description = {"Adds a mandate. The payer is in a file and never on the command line:",
                "  name=Jane Doe", "  iban=DE02 1203 0000 0000 2020 51", "  bic=BYLADEM1001"})
    static final class Add implements Callable<Integer> {

        @ParentCommand
        MandateCommand mandates;

        @Spec
        CommandSpec spec;

        @Parameters(paramLabel = "ID", description = "mandate_ and 1 to 27 letters, digits and dashes.")
        String id;

        @Option(names = "--merchant", required = true, paramLabel = "M", description = "Whose it is.")
        String merchant;

        @Option(names = "--bank", defaultValue = "bank", paramLabel = "B",
                description = "Our account that collects. Default: ${DEFAULT-VALUE}.")
        String bank;

        @Option(names = "--signed", required = true, paramLabel = "DATE", description = "When it was signed.")
        LocalDate signed;

        @Option(names = "--debtor-file", required = true, paramLabel = "FILE", description = "Name, IBAN and perhaps BIC of who pays.")
        Path file;

        private static final String INSERT = """
                INSERT INTO bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (mandate_id) DO NOTHING
                """;

        @Override
        public Integer call() {
            if (!id.matches("mandate_[A-Za-z0-9-]{1,27}")) {
                return BankCommand.refuse(spec, BankCommand.USAGE, "a mandate's id is mandate_ and 1 to 27 letters, digits and dashes");
            }
            Debtor debtor;
            try {
                debtor = read();
            } catch (IllegalArgumentException | IOException wrong) {
                return BankCommand.refuse(spec, BankCommand.USAGE, "%s: %s".formatted(file, wrong.getMessage()));
            }
            return mandates.bank.with(opened -> {
                if (!opened.database().withConnection(this::wasSigned)) {
                    return BankCommand.refuse(spec, BankCommand.USAGE, "--signed %s is in the future, or before 1900".formatted(signed));
                }
                try {
                    byte[] sealed = Debtors.seal(opened.vault(), id, debtor);
                    return opened.database().inTransaction(connection -> insert(connection, sealed))
                            ? BankCommand.say(spec, "Added %s for %s.".formatted(id, merchant))
                            : BankCommand.refuse(spec, BankCommand.NO, "there is a mandate %s already".formatted(id));
                } catch (Vault.NoKey noKey) {
                    return BankCommand.refuse(spec, BankCommand.USAGE, noKey.getMessage());
                }
            });
        }

        private static final String WAS_SIGNED = "SELECT ?::date BETWEEN '1900-01-01' AND current_date + 1";

        /** By the database's day; it may be tomorrow already where it was signed. */
        private boolean wasSigned(Connection connection) throws SQLException {
            return Sql.one(connection, WAS_SIGNED, row -> row.getBoolean(1), signed);
        }

        private Debtor read() throws IOException {
            var fields = new Properties();
            try (Reader text = TextFile.open(file)) {
                fields.load(text);
            }
            return new Debtor(fields.getProperty("name", "").strip(), fields.getProperty("iban", ""),
                    Optional.ofNullable(fields.getProperty("bic")).map(String::strip).filter(bic -> !bic.isEmpty()));
        }

        private boolean insert(Connection connection, byte[] sealed) throws SQLException {
            boolean done = Sql.update(connection, INSERT, id, merchant, bank, signed, sealed) == 1;
            if (done) {
                audit(connection, "merchant.mandate_added", id, Optional.of(merchant), Optional.empty());
            }
            return done;
        }
    }

    @Command(name = "list", description = "Lists mandates, without who pays.", usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
    static final class Listing implements Callable<Integer> {

        @ParentCommand
        MandateCommand mandates;

        @Spec
        CommandSpec spec;

        @Option(names = "--merchant", paramLabel = "M", description = "Only this merchant's.")
        Optional<String> merchant = Optional.empty();

        @Option(names = "--json", description = "Print JSON, one object a line.")
        boolean json;

        private static final String LIST = """
                SELECT mandate_id AS mandate, merchant_id AS merchant, bank, signed_on, created_at, revoked_at
                  FROM bank_mandate WHERE ?::text IS NULL OR merchant_id = ? ORDER BY created_at, mandate_id LIMIT 10000
                """;
        private static final int MOST = 10_000;

        @Override
        public Integer call() {
            return mandates.bank.with(opened -> {
                List<Map<String, Object>> rows = opened.database()
                        .withConnection(connection -> Sql.all(connection, LIST, BankFileRows::fields, merchant, merchant));
                rows.forEach(row -> {
                    if (json) {
                        BankCommand.sayJson(spec, row);
                    } else {
                        BankCommand.say(spec,
                                "%-35s  %-16s  %-10s  signed %s%s".formatted(row.get("mandate"), row.get("merchant"), row.get("bank"),
                                        row.get("signed_on"), row.containsKey("revoked_at") ? ", revoked " + row.get("revoked_at") : ""));
                    }
                });
                BankCommand.sayIfCut(spec, rows.size(), MOST, "Name a merchant with --merchant to see all of its own.");
                return 0;
            });
        }
    }

    @Command(name = "revoke", description = {"Revokes a mandate: no new file contains a debit by it. Refunds still go out.",
        "Says how many are in a file already."},
            usageHelpAutoWidth = true, mixinStandardHelpOptions = true)
    static final class Revoke implements Callable<Integer> {

        @ParentCommand
        MandateCommand mandates;

        @Spec
        CommandSpec spec;

        @Parameters(paramLabel = "ID")
        String id;

        @Option(names = "--reason", required = true, paramLabel = "TEXT", description = "Why; for the audit log.")
        String reason;

        private static final String REVOKE = "SELECT given_up, in_files FROM revoke_mandate(?) WHERE done";

        /**
         * @param givenUp how many debits waited for a file, and are in none now
         * @param inFiles how many are in a file, and the bank has said nothing about them
         */
        private record Revoked(long givenUp, long inFiles) {}

        @Override
        public Integer call() {
            return mandates.bank.with(spec, reason, opened -> opened.database().inTransaction(this::revoke)
                    .map(done -> BankCommand.say(spec, "Revoked %s: given up is %s that waited for a file; %s in one already."
                            .formatted(id, Counted.of(done.givenUp, "debit"), done.inFiles == 1 ? "1 is" : done.inFiles + " are")))
                    .orElseGet(() -> BankCommand.refuse(spec, BankCommand.NO, "no valid mandate has that id")));
        }

        private Optional<Revoked> revoke(Connection connection) throws SQLException {
            Optional<Revoked> done = Sql.first(connection, REVOKE, row -> new Revoked(row.getLong(1), row.getLong(2)), id);
            if (done.isPresent()) {
                audit(connection, "merchant.mandate_revoked", id, Optional.empty(), Optional.of(reason));
            }
            return done;
        }
    }

    private static void audit(Connection connection, String action, String id, Optional<String> merchant, Optional<String> reason)
            throws SQLException {
        AuditLog.append(connection,
                List.of(new AuditLog.Entry(new AuditLog.Actor.Person(BankCommand.claim()), action, merchant, "bank_mandate", id,
                        reason, Map.of())));
    }
}
