// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import io.chargeonce.bank.store.Debtors;
import io.chargeonce.bank.xml.Debtor;
import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.load.proxy.TcpProxy;
import io.chargeonce.load.traffic.TrafficMerchant;
import io.chargeonce.load.traffic.PlannedOutcome;
import io.chargeonce.runtime.Secret;
import io.chargeonce.sandbox.bank.BankBehaviour;
import io.chargeonce.sandbox.bank.SandboxBank;
import io.chargeonce.vault.DataKeys;
import io.chargeonce.vault.Vault;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * The bank of a campaign: its SFTP server and its ledger are outside of the services, behind a proxy, and it fails as it is told. It
 * returns nothing that it has booked, because a return and a refund of one payment may cross. For one thread.
 */
final class CampaignBank implements AutoCloseable {

    /** Before the other routes. */
    static final String ROUTE = "method=mandate_ -> bank; ";

    private static final Debtor PAYER = new Debtor("Jane Doe", "DE02120300000000202051", Optional.of("BYLADEM1001"));
    private static final List<Conditions> WAYS = List.of(Conditions.unreachable(), Conditions.silent(), Conditions.fair().limit(4_000),
            Conditions.fair().latency(Duration.ofMillis(150)));

    private final Path directory;
    private final SandboxBank bank;
    private final TcpProxy toBank;
    private final Path key;

    /** @param directory of its own */
    CampaignBank(Path directory) {
        this.directory = directory;
        this.key = directory.resolve("key");
        this.bank = SandboxBank.start(directory, 0, 0, List.of());
        this.toBank = TcpProxy.start(bank.port());
        try {
            DataKeys.add(key);
            Files.writeString(directory.resolve("known-by-proxy"),
                    Files.readString(bank.knownHosts()).replace("]:" + bank.port(), "]:" + toBank.port()));
            Files.writeString(directory.resolve("bank.properties"), """
                    creditor.name=A shop
                    creditor.iban=DE89370400440532013000
                    creditor.bic=COBADEFFXXX
                    creditor.id=DE98ZZZ09999999999
                    host=127.0.0.1
                    port=%d
                    user=%s
                    known.hosts=known-by-proxy
                    password.file=%s
                    directory.out=/%s
                    directory.in=/%s
                    timeout=1s
                    every=1s
                    answer.within=5m
                    """.formatted(toBank.port(), bank.user(), bank.passwordFile().getFileName(), SandboxBank.FROM_CUSTOMERS,
                    SandboxBank.TO_CUSTOMERS));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the service that sends files. */
    Map<String, String> settings() {
        return Map.of("CHARGEONCE_BANK_FILES", directory.resolve("bank.properties").toString(), "CHARGEONCE_BANK_POLL", "200ms",
                "CHARGEONCE_BANK_KEY_FILE", key.toString());
    }

    /** As the service that sends files makes it known; so debits are accepted before that service is there. */
    private static final String REGISTERED =
            "INSERT INTO chargeonce.bank (bank, next_cutoff, answer_within_s) VALUES ('bank', now(), 300)";

    /** Statements that make the bank known, with the mandates of all merchants. */
    List<String> rows() {
        try {
            var vault = Vault.of(new Secret(Files.readString(key)));
            Stream<String> mandates =
                    TrafficMerchant.sandbox().stream().flatMap(merchant -> Stream.of(PlannedOutcome.CHARGED, PlannedOutcome.DECLINED)
                            .map(outcome -> inserted(vault, merchant.name(), outcome.mandate(merchant.name()))));
            return Stream.concat(Stream.of(REGISTERED), mandates).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String inserted(Vault vault, String merchant, String mandate) {
        return """
                INSERT INTO chargeonce.bank_mandate (mandate_id, merchant_id, bank, signed_on, sealed_debtor)
                VALUES ('%s', '%s', 'bank', '2026-01-31', decode('%s', 'hex'))
                """.formatted(mandate, merchant, HexFormat.of().formatHex(Debtors.seal(vault, mandate, PAYER)));
    }

    URI ledger() {
        return bank.ledger();
    }

    /** Until the next healing. Returns the fault's name. */
    String hurt(RandomGenerator random) {
        if (random.nextInt(3) == 0) {
            toBank.set(WAYS.get(random.nextInt(WAYS.size())));
            return "bank hard to reach";
        }
        BankBehaviour behaviour = BankBehaviour.values()[random.nextInt(BankBehaviour.values().length)];
        bank.tell(behaviour);
        return "bank " + behaviour.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** It is well again, and sends what it has held back. */
    void heal() {
        toBank.set(Conditions.fair());
        for (BankBehaviour behaviour : BankBehaviour.values()) {
            bank.tellNoMore(behaviour);
        }
        bank.release();
    }

    @Override
    public void close() {
        toBank.close();
        bank.close();
    }
}
