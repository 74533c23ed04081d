// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExposureTest {

    private static final Setting<URI> PSP = Setting.pspUri("CHARGEONCE_A_PSP", "Where a PSP is.").orElse("https://psp.example");
    private static final Setting<Secret> KEY = Setting.secretFile("CHARGEONCE_A_KEY_FILE", "A key.");
    private static final List<Setting<?>> USED = Stream.concat(PipelineSettings.OF_SERVICE.stream(), Stream.of(PSP, KEY)).toList();

    @TempDir
    Path directory;
    private final Map<String, String> environment = new HashMap<>();

    private Path file(String name, String text, String mode) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    /** With a key that no other account may read. */
    private ExposureTest with(String name, String value) throws IOException {
        environment.put(name, value);
        environment.putIfAbsent("CHARGEONCE_A_KEY_FILE", file("key", "k", "rw-------").toString());
        return this;
    }

    private List<String> problems() {
        return catchThrowableOfType(SettingsProblems.class, () -> Settings.load(environment, USED, USED)).problems();
    }

    private void starts() {
        assertThat(Settings.load(environment, USED, USED).get(KEY).value()).isEqualTo("k");
    }

    @Test
    void all_exposures_are_reported_at_once_with_advice_and_with_all_other_problems() throws Exception {
        with("CHARGEONCE_DATABASE_URL", "jdbc:postgresql://db.example/chargeonce")
                .with("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", "kafka.example:9092")
                .with("CHARGEONCE_A_PSP", "http://psp.example").with("CHARGEONCE_ADMIN_ADDRESS", "0.0.0.0:9100")
                .with("CHARGEONCE_A_KEY_FILE", file("open", "k", "rw-r--r--").toString()).with("CHARGEONCE_RETRY_TIERS", "soon");

        assertThat(problems()).hasSize(7).allSatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_RETRY_TIERS: is 'soon'"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_DATABASE_URL: leads to db.example")
                        .contains("sslmode=verify-full"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS:")
                        .contains("PLAINTEXT", "SASL_SSL"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_A_PSP:").contains("https"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_ADMIN_ADDRESS:").contains("CHARGEONCE_ADMIN_TOKEN_FILE"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_A_KEY_FILE:").contains("rw-r--r--", "chmod 600", "0440"))
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_INSECURE:"));
    }

    @Test
    void with_insecure_yes_it_starts_all_the_same() throws Exception {
        with("CHARGEONCE_A_PSP", "http://psp.example").with("CHARGEONCE_DATABASE_URL", "jdbc:postgresql://db.example/chargeonce")
                .with("CHARGEONCE_A_KEY_FILE", file("open", "k", "rw-rw-rw-").toString());
        assertThat(problems()).isNotEmpty();

        with("CHARGEONCE_INSECURE", "yes").starts();
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "YES", "1", "maybe"})
    void only_yes_is_yes(String said) throws Exception {
        assertThat(with("CHARGEONCE_A_PSP", "http://psp.example").with("CHARGEONCE_INSECURE", said).problems())
                .anySatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_A_PSP"))
                .anySatisfy(problem -> assertThat(problem)
                        .startsWith("CHARGEONCE_INSECURE: is '%s', but must be one of no, yes".formatted(said)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:postgresql://127.0.0.1:5432/c", "jdbc:postgresql://localhost/c", "jdbc:postgresql://[::1]:5432/c",
        "jdbc:postgresql:c", "jdbc:postgresql:///c", "jdbc:postgresql://127.0.0.1,localhost/c?sslmode=disable",
        "jdbc:postgresql://db.example/c?sslmode=verify-full", "jdbc:postgresql://db.example/c?ssl=true",
        "jdbc:postgresql://db.example/c?socketFactory=org.newsclub.net.unix.AFUNIXSocketFactory$FactoryArg&socketFactoryArg=/run/pg.sock"})
    void postgres_may_be_on_this_machine_or_prove_its_identity(String url) throws Exception {
        with("CHARGEONCE_DATABASE_URL", url).starts();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdbc:postgresql://db.example/c", "jdbc:postgresql://10.0.0.7/c?sslmode=require",
        "jdbc:postgresql://db.example/c?sslmode=verify-ca", "jdbc:postgresql://db.example/c?sslmode=prefer",
        "jdbc:postgresql://127.0.0.1,db.example/c",
        "jdbc:postgresql://127.evil.example/c",
        "jdbc:postgresql://db.example/c?sslmode=verify-full&sslfactory=org.postgresql.ssl.NonValidatingFactory",
        "jdbc:postgresql://0.0.0.0/c", "jdbc:postgresql://db.localhost/c", "jdbc:postgresql://127.0.0.300/c",
        "jdbc:postgresql://localhost/c?host=db.example", "jdbc:postgresql://localhost,[2001:db8::1]/c",
        "jdbc:postgresql://localhost.db.example/c",
        "jdbc:postgresql://db.example/c?sslmode=verify-full&sslmode=disable"})
    void a_remote_postgres_that_does_not_prove_its_identity_is_refused(String url) throws Exception {
        assertThat(with("CHARGEONCE_DATABASE_URL", url).problems()).first().asString().startsWith("CHARGEONCE_DATABASE_URL: leads to");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "none", value = {
        "127.0.0.1:9092,[::1]:9092 | none | yes", "kafka.example:9092 | none | no", "127.0.0.1:9092,kafka.example:9092 | none | no",
        "kafka.example:9092 | security.protocol=PLAINTEXT | no", "kafka.example:9092 | security.protocol=SASL_PLAINTEXT | no",
        "kafka.example:9093 | security.protocol=SSL | yes", "kafka.example:9093 | security.protocol=SASL_SSL | yes",
        "kafka.example:9093 | security.protocol=SSL\\nssl.endpoint.identification.algorithm= | no",
        "kafka.example:9093 | security.protocol=SSL\\nssl.endpoint.identification.algorithm=\\u0020 | no"})
    void a_remote_kafka_is_spoken_to_over_tls_only(String servers, String properties, String starts) throws Exception {
        with("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", servers);
        if (properties != null) {
            with("CHARGEONCE_KAFKA_PROPERTIES_FILE", file("kafka", properties.replace("\\n", "\n"), "rw-r--r--").toString());
        }
        if (starts.equals("yes")) {
            starts();
        } else {
            assertThat(problems()).first().asString().startsWith("CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS: leads to");
        }
    }

    @Test
    void the_file_of_kafkas_properties_is_a_secret_once_it_holds_a_password() throws Exception {
        Path file = file("kafka", "", "rw-r--r--");
        for (String secret : new String[] {"sasl.jaas.config", "ssl.key.password", "ssl.keystore.key",
            "sasl.oauthbearer.client.credentials.client.secret", "sasl.oauthbearer.assertion.private.key.passphrase"}) {
            Files.writeString(file, secret + "=x\n");
            assertThat(with("CHARGEONCE_KAFKA_PROPERTIES_FILE", file.toString()).problems()).first().asString()
                    .startsWith("CHARGEONCE_KAFKA_PROPERTIES_FILE: " + file);
        }
        Files.writeString(file, "linger.ms=5\n");
        starts();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://psp.localhost", "http://localhost@psp.example", "http://127.0.0.1.psp.example", "http://127.1",
        "http://[::ffff:10.0.0.7]", "http://[2001:db8::1]", "http://0.0.0.0"})
    void a_plain_address_of_another_machine_is_refused_however_it_is_written(String address) throws Exception {
        assertThat(with("CHARGEONCE_A_PSP", address).problems()).first().asString().startsWith("CHARGEONCE_A_PSP: is");
    }

    @Test
    void a_psp_on_this_machine_may_be_plain() throws Exception {
        with("CHARGEONCE_A_PSP", "http://127.0.0.1:8090").starts();
        with("CHARGEONCE_A_PSP", "http://localhost:8090/v71").starts();
    }

    @Test
    void an_admin_address_for_others_needs_a_token_and_a_command_serves_none() throws Exception {
        assertThat(with("CHARGEONCE_ADMIN_ADDRESS", "10.0.0.7:9100").problems()).first().asString().startsWith("CHARGEONCE_ADMIN_ADDRESS");
        assertThat(Settings.load(environment, PipelineSettings.ALL, USED).read(PipelineSettings::from).admin()).isEmpty();

        with("CHARGEONCE_ADMIN_TOKEN_FILE", file("token", "t", "rw-------").toString()).starts();
    }

    @ParameterizedTest
    @CsvSource({"rw-------, 7, false", "r--------, 7, false", "r--r-----, 7, true", "rw-r-----, 7, true", "rw-r--r--, 7, true",
        "rw----r--, 7, true", "rw-----w-, 7, true", "rw--w----, 0, true", "r--r-----, 0, false", "rw-r-----, 0, false",
        "r--r--r--, 0, true", "r--r-----, 8, false"})
    void a_secret_is_for_its_owner_and_for_the_group_by_which_we_got_it(String mode, long owner, boolean refused) {
        assertThat(Exposure.isTooOpen(PosixFilePermissions.fromString(mode), owner, 7)).isEqualTo(refused);
    }

    /** As Kubernetes mounts a Secret: a link to a link to a file. */
    @Test
    void a_link_counts_as_its_target() throws Exception {
        Files.createDirectory(directory.resolve("..2026"));
        Path file = file("..2026/key", "k", "r--------");
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("..2026"));
        Path link = Files.createSymbolicLink(directory.resolve("mounted"), Path.of("..data/key"));
        with("CHARGEONCE_A_KEY_FILE", link.toString()).starts();

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(problems()).first().asString().contains(link.toString());
    }

    @Test
    void what_a_command_gets_beside_its_settings_is_checked_alike() throws Exception {
        Settings settings = Settings.load(with("CHARGEONCE_A_PSP", "https://psp.example").environment, USED, USED);
        settings.allow(List.of());
        assertThatThrownBy(() -> settings.allow(List.of("--passwords: it is open"))).isInstanceOf(SettingsProblems.class)
                .hasMessageContaining("--passwords: it is open");
    }
}
