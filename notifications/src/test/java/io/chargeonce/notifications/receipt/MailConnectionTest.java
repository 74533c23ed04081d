// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.notifications.SendResult;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.Settings;
import io.chargeonce.runtime.SettingsProblems;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is sent to which mail server: encrypted and verified, or not at all. */
class MailConnectionTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static GreenMail mail;

    @TempDir
    static Path folder;

    private static Path certificate;

    @BeforeAll
    static void open() throws Exception {
        if (certificate == null) {
            makeCertificate();
        }
        mail = new GreenMail(new ServerSetup[] {on(ServerSetup.PROTOCOL_SMTP), on(ServerSetup.PROTOCOL_SMTPS)});
        mail.setUser("shop", "right");
        mail.start();
    }

    /** Longer than GreenMail's two seconds, which a busy machine may need. */
    private static ServerSetup on(String protocol) {
        var setup = new ServerSetup(0, "127.0.0.1", protocol);
        setup.setServerStartupTimeout(TIMEOUT.toMillis());
        return setup;
    }

    /** Of localhost, and of no number. GreenMail reads its key store once in a JVM, also when this class is run a second time. */
    private static void makeCertificate() throws Exception {
        Path own = Files.createTempDirectory("mail-connection-");
        Path store = own.resolve("store.p12");
        certificate = own.resolve("ca.pem");
        List.of(own, store, certificate).forEach(file -> file.toFile().deleteOnExit());
        keytool("-genkeypair", "-alias", "mail", "-keyalg", "EC", "-dname", "CN=localhost", "-ext", "SAN=dns:localhost", "-keystore",
                store.toString());
        keytool("-exportcert", "-rfc", "-alias", "mail", "-file", certificate.toString(), "-keystore", store.toString());
        System.setProperty("greenmail.tls.keystore.file", store.toString());
        System.setProperty("greenmail.tls.keystore.password", "changeit");
    }

    private static void keytool(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-storetype", "PKCS12", "-storepass", "changeit"));
        var run = new ProcessBuilder(command).redirectErrorStream(true).start();
        assertThat(new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8) + run.waitFor()).endsWith("0");
    }

    @AfterAll
    static void close() {
        mail.stop();
    }

    private static SendResult send(MailServer server) throws Exception {
        var content = new Receipt.Content("jane@example.com", Receipt.Kind.CHARGE, "pay_1", 1, "EUR", Optional.empty(), Optional.empty(),
                Instant.EPOCH, "acme", Optional.empty(), Optional.empty());
        var recipient = Recipient.of("jane@example.com").orElseThrow();
        try (var connection = new MailConnection(server, Books.letterhead())) {
            return connection.send(new Mail(connection.session(), Books.letterhead()).of(new Receipt("rcp_1", 1, 1), content, recipient,
                    Instant.EPOCH), recipient);
        }
    }

    private static MailServer at(String host, int port, MailServer.Tls tls, Optional<Path> ca) {
        return new MailServer(new Address(host, port), tls, Optional.empty(), ca, TIMEOUT);
    }

    @Test
    void a_server_without_a_certificate_that_we_trust_or_without_tls_gets_nothing() throws Exception {
        int before = mail.getReceivedMessages().length;
        assertThat(send(at("127.0.0.1", mail.getSmtps().getPort(), MailServer.Tls.IMPLICIT, Optional.empty())).error())
                .contains("no_trusted_tls");
        assertThat(send(at("127.0.0.1", mail.getSmtp().getPort(), MailServer.Tls.STARTTLS, Optional.empty())).error())
                .contains("no_trusted_tls");
        // Its certificate is trusted here, and names another host.
        assertThat(send(at("127.0.0.1", mail.getSmtps().getPort(), MailServer.Tls.IMPLICIT, Optional.of(certificate))).error())
                .contains("no_trusted_tls");
        assertThat(mail.getReceivedMessages()).hasSize(before);
    }

    @Test
    void certificates_that_are_not_to_be_read_are_not_the_receipts_fault() throws Exception {
        assertThat(send(at("localhost", mail.getSmtps().getPort(), MailServer.Tls.IMPLICIT, Optional.of(Path.of("there-is-none.pem")))))
                .isEqualTo(SendResult.of(Result.NOT_SENT, "no_trusted_tls"));
    }

    @Test
    void a_server_with_a_certificate_of_ours_and_its_own_name_gets_it() throws Exception {
        int before = mail.getReceivedMessages().length;
        assertThat(send(at("localhost", mail.getSmtps().getPort(), MailServer.Tls.IMPLICIT, Optional.of(certificate))))
                .extracting(SendResult::result).isEqualTo(Result.DELIVERED);
        assertThat(mail.getReceivedMessages()).hasSize(before + 1);
    }

    @Test
    void a_refused_login_is_not_the_receipts_fault() throws Exception {
        var here = new Address("127.0.0.1", mail.getSmtp().getPort());
        assertThat(send(new MailServer(here, MailServer.Tls.NONE, Optional.of(new MailServer.Login("shop", () -> "wrong")),
                Optional.empty(), TIMEOUT))).isEqualTo(SendResult.of(Result.NOT_SENT, "login_refused"));
        assertThat(send(new MailServer(here, MailServer.Tls.NONE, Optional.of(new MailServer.Login("shop", () -> "right")),
                Optional.empty(), TIMEOUT))).extracting(SendResult::result).isEqualTo(Result.DELIVERED);
    }

    @Test
    void a_server_that_is_not_there_is_asked_again_later() throws Exception {
        int nobodys;
        try (var taken = new ServerSocket(0)) {
            nobodys = taken.getLocalPort();
        }
        assertThat(send(MailServer.here(nobodys, TIMEOUT))).extracting(SendResult::result).isEqualTo(Result.FAILED);
    }

    private ReceiptSettings settings(Map<String, String> given) {
        var all = new HashMap<>(given);
        all.putIfAbsent("CHARGEONCE_SMTP_SERVER", "mail.example.com:587");
        all.putIfAbsent("CHARGEONCE_RECEIPT_FROM", "receipts@example.com");
        return Settings.load(all, ReceiptSettings.ALL, ReceiptSettings.ALL).read(ReceiptSettings::from);
    }

    @Test
    void settings_that_would_show_or_misdirect_mail_are_refused() throws Exception {
        Path password = Files.writeString(folder.resolve("password"), "secret");
        Files.setPosixFilePermissions(password, PosixFilePermissions.fromString("r--------"));
        assertThat(settings(Map.of()).server().tls()).isEqualTo(MailServer.Tls.STARTTLS);
        assertThat(settings(Map.of("CHARGEONCE_SMTP_SERVER", "127.0.0.1:25", "CHARGEONCE_SMTP_TLS", "none")).server().tls())
                .isEqualTo(MailServer.Tls.NONE);
        assertThat(settings(Map.of("CHARGEONCE_SMTP_USER", "shop", "CHARGEONCE_SMTP_PASSWORD_FILE", password.toString())).toString())
                .doesNotContain("secret");
        for (var wrong : Map.of("CHARGEONCE_SMTP_TLS", "none", "CHARGEONCE_SMTP_USER", "shop", "CHARGEONCE_RECEIPT_FROM",
                "a@b.example\nBcc: eve@example.com", "CHARGEONCE_RECEIPT_REPLY_TO", "nobody", "CHARGEONCE_RECEIPT_LOCALE", "x_y-!",
                "CHARGEONCE_RECEIPT_TIME_ZONE", "Mars").entrySet()) {
            assertThatThrownBy(() -> settings(Map.of(wrong.getKey(), wrong.getValue()))).as(wrong.getKey())
                    .isInstanceOf(SettingsProblems.class).hasMessageContaining(wrong.getKey());
        }
    }
}
