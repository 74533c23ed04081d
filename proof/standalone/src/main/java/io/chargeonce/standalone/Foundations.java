// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.sandbox.Directories;
import io.chargeonce.sandbox.KafkaBroker;
import io.chargeonce.sandbox.PostgresServer;
import io.chargeonce.sandbox.adyen.AdyenSimulatorSettings;
import io.chargeonce.sandbox.adyen.AdyenSimulator;
import io.chargeonce.sandbox.bank.SandboxBank;
import io.chargeonce.sandbox.mail.SandboxMail;
import io.chargeonce.sandbox.stripe.StripeSimulatorSettings;
import io.chargeonce.sandbox.stripe.StripeSimulator;
import io.chargeonce.testkit.CardPipeline;
import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * What a pipeline needs: a real broker, a real Postgres, two PSPs, a bank and a mail server, all on this machine. In a given directory
 * everything is still there after a stop or a SIGKILL; without one it is in a temporary directory, which is removed at the stop.
 *
 * @param dataKey   the file with the private keys that open what is sealed at rest
 * @param stripeKey the file with the key of our account at Stripe
 */
record Foundations(KafkaBroker kafka, PostgresServer postgres, StripeSimulator stripe, AdyenSimulator adyen, SandboxMail mail,
        SandboxBank bank, Path dataKey, Path stripeKey) {

    static Foundations start(Lifecycle lifecycle, Optional<Path> keep, Ports ports) {
        Path directory = keep.map(path -> path.toAbsolutePath().normalize()).orElseGet(() -> temporary(lifecycle));
        var postgres = lifecycle.start("Postgres", () -> PostgresServer.start(postgresIn(directory), ports.postgres));
        var kafka = lifecycle.start("Kafka", () -> KafkaBroker.start(directory.resolve("kafka"), ports.kafka));
        var stripe = lifecycle.start("Stripe simulator", () -> StripeSimulator.start(
                StripeSimulatorSettings.inMemory().port(ports.stripe).keptIn(directory.resolve("stripe"))));
        var adyen = lifecycle.start("Adyen simulator",
                () -> AdyenSimulator.start(AdyenSimulatorSettings.inMemory().storingStripesTestCards()
                        .port(ports.adyen).keptIn(directory.resolve("adyen"))
                        .webhook(URI.create("http://127.0.0.1:" + ports.webhook() + "/v1/webhooks/adyen"), CardPipeline.ADYEN_HMAC_KEY)));
        var mail = lifecycle.start("mail server", () -> SandboxMail.start(ports.mail, ports.mailbox));
        var bank = lifecycle.start("bank", () -> SandboxBank.start(directory.resolve("bank"), ports.bank, ports.bankLedger, List.of()));
        return new Foundations(kafka, postgres, stripe, adyen, mail, bank, dataKey(directory), stripeKey(directory));
    }

    static Path postgresIn(Path directory) {
        return directory.resolve("postgres");
    }

    /** The file with the private keys; made once. */
    private static Path dataKey(Path directory) {
        Path file = directory.resolve("data-key");
        try {
            if (Files.notExists(file)) {
                DataKeys.add(file);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException("the data key cannot be made at " + file, e);
        }
    }

    private static Path stripeKey(Path directory) {
        Path file = directory.resolve("stripe-key");
        try {
            if (Files.notExists(file)) {
                Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            }
            return Files.writeString(file, CardPipeline.STRIPE_KEY);
        } catch (IOException e) {
            throw new UncheckedIOException("the key of Stripe's simulator cannot be kept at " + file, e);
        }
    }

    private static Path temporary(Lifecycle lifecycle) {
        Path directory = Directories.temporary("up");
        lifecycle.start("temporary directory", () -> () -> Directories.remove(directory));
        return directory;
    }
}
