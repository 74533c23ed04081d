// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.bank.inbound.Inbound;
import io.chargeonce.bank.outbound.Outbound;
import io.chargeonce.bank.sftp.SftpPlace;
import io.chargeonce.bank.store.Debtors;
import io.chargeonce.bank.xml.Creditor;
import io.chargeonce.bank.xml.Debtor;
import io.chargeonce.charge.ChargeService;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.Database;
import io.chargeonce.database.Migrations;
import io.chargeonce.database.Outbox;
import io.chargeonce.database.Roles;
import io.chargeonce.kafka.KafkaConnection;
import io.chargeonce.ledger.OperationTable;
import io.chargeonce.ledger.Refunds;
import io.chargeonce.ledger.Staging;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.IdempotencyKey;
import io.chargeonce.payment.PaymentId;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.retry.RetryService;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.TestStack;
import io.chargeonce.sandbox.bank.SandboxBank;
import io.chargeonce.settlement.BankSaid;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.TopicPlan;
import io.chargeonce.wire.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;

/** A database and topics of its own, charge with an account at a bank, and the bank on this machine. */
final class BankWorld implements AutoCloseable {

    static final Creditor US = new Creditor("Acme GmbH", "DE89370400440532013000", "COBADEFFXXX", "DE98ZZZ09999999999");
    static final SettlementKeys KEYS = SettlementKeys.of(Optional.of(new Secret("settlement-key-of-the-tests-0123456789")));
    static final Debtor PAYER = new Debtor("Jörg Müller", "DE02120300000000202051", Optional.of("BYLADEM1001"));

    /** Those of the newest. */
    SimpleMeterRegistry outboundMeters = new SimpleMeterRegistry();
    SimpleMeterRegistry inboundMeters = new SimpleMeterRegistry();
    final Topics topics = new Topics("bank-" + UUID.randomUUID());
    final String url = TestStack.newDatabase(empty -> {
        Migrations.apply(empty, "postgres", "");
        Roles.apply(empty, "postgres", "", Optional.empty());
    });
    final SandboxBank bank;
    final Path directory;
    final Vault opens;
    final Vault seals;
    final Database database;
    private final List<AutoCloseable> started = new ArrayList<>();

    BankWorld() {
        execute("INSERT INTO merchant (merchant_id) VALUES ('acme'), ('globex')");
        try {
            directory = Files.createTempDirectory("bank-world");
            Path key = directory.resolve("key");
            DataKeys.add(key);
            opens = Vault.of(new Secret(Files.readString(key)));
            seals = Vault.of(new Secret(Files.readString(key.resolveSibling("key" + DataKeys.PUBLIC))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        bank = SandboxBank.start(directory.resolve("bank"), 0, 0, List.of());
        started.add(bank);
        database = Database.openForService(as("chargeonce_bank_files"), "chargeonce_bank_files", "", 8);
        started.add(database);
    }

    String as(String role) {
        return url.replace("user=postgres", "user=" + role);
    }

    /** A file as soon as something waits, and answers at once or late. */
    BankAccount account(Duration answerWithin) {
        return account(answerWithin, new Windows(ZoneId.of("Europe/Berlin"), List.of(), Set.of(), 1, Duration.ZERO,
                Optional.of(Duration.ofMillis(100))));
    }

    BankAccount account(Duration answerWithin, Windows windows) {
        return new BankAccount("bank", "CO", US, place(bank.knownHosts(), bank.passwordFile()), windows, answerWithin, 5);
    }

    SftpPlace place(Path knownHosts, Path password) {
        return new SftpPlace("127.0.0.1", bank.port(), bank.user(), Optional.of(password), Optional.empty(), knownHosts,
                "/" + SandboxBank.FROM_CUSTOMERS, "/" + SandboxBank.TO_CUSTOMERS, Duration.ofSeconds(5));
    }

    Outbound outbound(BankAccount account) {
        return outbound(account, Optional.empty());
    }

    Outbound outbound(BankAccount account, Optional<Instant> until) {
        outboundMeters = new SimpleMeterRegistry();
        return new Outbound(account, database, opens, until, outboundMeters);
    }

    Inbound inbound(BankAccount account) {
        inboundMeters = new SimpleMeterRegistry();
        return new Inbound(account, database, opens, KEYS, Inbound.LARGEST, Duration.ZERO, inboundMeters);
    }

    /** Charge and the tiers, which know the bank. */
    void startCharge() {
        try (var admin = new KafkaConnection(TestStack.kafka().bootstrapServers(), java.util.Map.of()).newAdmin()) {
            new TopicPlan(topics, 2, Optional.of((short) 1)).create(admin);
        }
        var pipeline = new PipelineSettings(as("chargeonce_charge"), "chargeonce_charge", "", TestStack.kafka().bootstrapServers(),
                Optional.empty(), topics.prefix(), List.of(Duration.ofMillis(200), Duration.ofMillis(300)), Optional.empty());
        var settings = new ChargeSettings(pipeline, List.of(new StripeSettings("sk_test", "http://127.0.0.1:9", Duration.ofSeconds(1),
                Optional.empty(), false)), 100, Duration.ofSeconds(20), Duration.ofSeconds(1),
                List.of(Duration.ofMillis(100), Duration.ofMillis(300)), Duration.ofSeconds(20), Optional.empty(),
                ChargeSettings.Pace.USUAL).withBanks(List.of("bank")).with(KEYS);
        var meters = Meters.of("test");
        started.add(ChargeService.start(settings, meters));
        started.add(RetryService.start(settings, meters));
    }

    /** A mandate of acme's at the bank. */
    String mandate(String name) {
        return mandate(name, seals);
    }

    /** Sealed with a key that no service here has. */
    String unreadableMandate(String name) {
        try {
            return mandate(name, anotherKey());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Vault anotherKey() throws IOException {
        Path key = Files.createTempDirectory("another").resolve("key");
        DataKeys.add(key);
        return Vault.of(new Secret(Files.readString(key)));
    }

    private String mandate(String name, Vault seals) {
        String mandate = "mandate_" + name;
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
             var statement = connection.prepareStatement("INSERT INTO bank_mandate VALUES (?, 'acme', 'bank', '2026-01-31', ?)")) {
            statement.setString(1, mandate);
            statement.setBytes(2, Debtors.seal(seals, mandate, PAYER));
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return mandate;
    }

    /** Returns the id of a payment that is accepted, and staged for charge. */
    String pay(String mandate, long amount) {
        return pay(UUID.randomUUID().toString(), mandate, amount);
    }

    String pay(String key, String mandate, long amount) {
        String id = PaymentId.derive("acme", new IdempotencyKey(key)).value();
        execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                    reference, charge_within_s)
                VALUES ('%1$s', '%1$s', 'charge', 'acme', '%2$s', %3$d, 'EUR', '%4$s', 'order-7', 86400)""".formatted(id, key, amount,
                mandate));
        try (var owner = Database.open(url, "postgres", "", 1)) {
            owner.inTransaction(connection -> {
                Outbox.stage(connection, List.of(Staging.work(topics, OperationTable.find(connection, id).orElseThrow())));
                return true;
            });
        }
        return id;
    }

    Refunds.Answer refund(String payment) {
        try (var owner = Database.open(url, "postgres", "", 1)) {
            return owner.inTransaction(connection -> Refunds.accept(connection, topics,
                    new Refunds.RefundRequest("acme", new PaymentId(payment), OptionalLong.empty(), Optional.empty()), Duration.ofDays(1),
                    KnownPsps.BUILT_IN));
        }
    }

    /** Rows of an attempt at the bank that is collected, without charge. Returns its key. */
    String collected(String mandate, long amount) {
        return collected(mandate, amount, 1).getFirst();
    }

    List<String> collected(String mandate, long amount, int many) {
        String run = UUID.randomUUID().toString().replace("-", "");
        execute("""
                INSERT INTO operation (operation_id, payment_id, kind, merchant_id, idempotency_key, amount, currency, payment_method,
                    charge_within_s)
                SELECT 'pay_' || left(md5('%1$s' || n), 26), 'pay_' || left(md5('%1$s' || n), 26), 'charge', 'acme', '%1$s' || n, %2$d,
                       'EUR', '%3$s', 86400
                  FROM generate_series(1, %4$d) AS n;
                INSERT INTO payment_attempt (psp_key, operation_id, payment_id, operation, operation_ref, generation, sequence, psp, state,
                    request, request_sha256, sent_at, key_valid_until)
                SELECT lower(translate(left(md5('%1$s' || n), 26), '0189', 'wxyz')), 'pay_' || left(md5('%1$s' || n), 26),
                       'pay_' || left(md5('%1$s' || n), 26), 'charge', '', 1, 1, 'bank', 'in_flight', '\\x', sha256(''), now(), now()
                  FROM generate_series(1, %4$d) AS n""".formatted(run, amount, mandate, many));
        var keys = new ArrayList<String>();
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
             var statement = connection.prepareStatement("""
                SELECT psp_key, collect_for_bank(psp_key) FROM payment_attempt JOIN operation USING (operation_id)
                 WHERE idempotency_key LIKE ? ORDER BY psp_key""")) {
            statement.setString(1, run + "%");
            try (var row = statement.executeQuery()) {
                while (row.next()) {
                    keys.add(row.getString(1));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return keys;
    }

    /** Of 12.99 euro, as bank-files marks it. In hexadecimal digits. */
    static String mark(String kind, String key, boolean credit, String code, String reference) {
        return HexFormat.of()
                .formatHex(KEYS.mark(new BankSaid("bank", kind, key, "1299", "EUR", String.valueOf(credit), code, reference, ""))
                        .orElseThrow());
    }

    void execute(String sql) {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce");
             var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    String text(String sql) {
        try (var connection = DriverManager.getConnection(url + "&currentSchema=chargeonce"); var statement = connection.createStatement();
             var row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "(none)";
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    String state(String operation) {
        return text("SELECT state FROM operation_state WHERE operation_id = '%s'".formatted(operation));
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : started.reversed()) {
            each.close();
        }
    }
}
