// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.app.Main;
import io.chargeonce.database.Migrations;
import io.chargeonce.sandbox.CompiledJar;
import io.chargeonce.sandbox.TestStack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A login at Kafka that only a jar in a folder brings, as Amazon's by IAM is, and sockets of Postgres's driver. */
class ExtraJarsTest {

    private static final String LOGIN = """
            package com.example;

            import java.io.IOException;
            import java.net.*;
            import java.util.*;
            import javax.security.auth.Subject;
            import javax.security.auth.callback.*;
            import javax.security.auth.login.*;
            import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;

            public class Login implements javax.security.auth.spi.LoginModule {

                public static class Callbacks implements AuthenticateCallbackHandler {
                    public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> entries) {
                        System.err.println("the callbacks of the extra jar");
                    }
                    public void handle(Callback[] callbacks) {}
                    public void close() {}
                }

                /** Of Postgres's driver. */
                public static class Sockets extends javax.net.SocketFactory {
                    public Sockets() {
                        System.err.println("the sockets of the extra jar");
                    }
                    public Socket createSocket() throws IOException { return getDefault().createSocket(); }
                    public Socket createSocket(String host, int port) { return null; }
                    public Socket createSocket(String host, int port, InetAddress from, int fromPort) { return null; }
                    public Socket createSocket(InetAddress host, int port) { return null; }
                    public Socket createSocket(InetAddress host, int port, InetAddress from, int fromPort) { return null; }
                }

                public void initialize(Subject subject, CallbackHandler handler, Map<String, ?> shared, Map<String, ?> options) {}
                public boolean login() throws LoginException {
                    System.err.println("the login of the extra jar");
                    throw new LoginException("no account");
                }
                public boolean commit() { return false; }
                public boolean abort() { return false; }
                public boolean logout() { return false; }
            }
            """;
    private static final String READ_ONLY = "mount --bind \"$0\" \"$0\" && mount -o remount,bind,ro \"$0\" && exec \"$@\"";

    private static String database;

    @TempDir
    Path directory;
    private Path jars;
    private Path kafka;

    @BeforeAll
    static void migrate() {
        database = TestStack.newDatabase(url -> Migrations.apply(url, "postgres", ""));
    }

    @BeforeEach
    void compile() throws Exception {
        Path java = Files.createDirectories(directory.resolve("src/java"));
        Files.writeString(java.resolve("Login.java"), LOGIN);
        jars = Files.createDirectory(directory.resolve("jars"));
        mode("rwxr-xr-x");
        CompiledJar.of(jars.resolve("login.jar"), java.getParent());
        kafka = Files.writeString(directory.resolve("kafka.properties"), """
                security.protocol=SASL_PLAINTEXT
                sasl.mechanism=EXAMPLE
                sasl.jaas.config=com.example.Login required;
                sasl.client.callback.handler.class=com.example.Login$Callbacks
                """);
        Files.setPosixFilePermissions(kafka, PosixFilePermissions.fromString("rw-------"));
    }

    private void mode(String mode) throws Exception {
        Files.setPosixFilePermissions(jars, PosixFilePermissions.fromString(mode));
    }

    /** What {@code migrate} says with them, run by these words. */
    private String migrate(int status, List<String> by) throws Exception {
        var words = new ArrayList<>(by);
        words.addAll(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp", System.getProperty("java.class.path"),
                Main.class.getName(), "migrate"));
        var process = new ProcessBuilder(words).redirectErrorStream(true);
        process.environment().keySet().removeIf(name -> name.startsWith("CHARGEONCE_"));
        process.environment()
                .putAll(Map.of("CHARGEONCE_EXTRA_JARS", jars.toString(), "CHARGEONCE_DATABASE_URL",
                        database + "&socketFactory=com.example.Login$Sockets",
                        "CHARGEONCE_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1", "CHARGEONCE_KAFKA_PROPERTIES_FILE", kafka.toString()));
        Process run = process.start();
        var said = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(run.waitFor()).as(said).isEqualTo(status);
        return said;
    }

    @Test
    void the_clients_of_kafka_and_postgres_find_their_classes_in_it() throws Exception {
        assertThat(migrate(3, List.of())).contains("the sockets of the extra jar", "the callbacks of the extra jar",
                "the login of the extra jar");
    }

    @Test
    void a_folder_that_others_may_write_is_refused_and_nothing_in_it_runs() throws Exception {
        mode("rwxrwxrwx");
        assertThat(migrate(2, List.of())).contains("CHARGEONCE_EXTRA_JARS: " + jars + " has the mode rwxrwxrwx",
                "chmod go-w it, or mount it read-only").doesNotContain("of the extra jar");
    }

    /** As a volume of Kubernetes is. */
    @Test
    void a_folder_of_any_mode_is_taken_if_it_is_mounted_read_only() throws Exception {
        Assumptions.assumeTrue(Files.isExecutable(Path.of("/usr/bin/unshare"))
                && new ProcessBuilder("unshare", "-rm", "true").start().waitFor() == 0, "no mounts of one's own here");
        mode("rwxrwxrwx");
        assertThat(migrate(3, List.of("unshare", "-rm", "sh", "-c", READ_ONLY, jars.toString()))).contains("the login of the extra jar");
    }

    @Test
    void a_file_that_is_no_jar_is_named() throws Exception {
        Files.writeString(jars.resolve("broken.jar"), "no jar");
        assertThat(migrate(2, List.of())).contains("CHARGEONCE_EXTRA_JARS: " + jars.resolve("broken.jar") + " cannot be read");
    }

    @Test
    void a_folder_with_jars_only_in_its_subfolders_is_refused() throws Exception {
        Files.move(jars.resolve("login.jar"), Files.createDirectory(jars.resolve("lib")).resolve("login.jar"));
        assertThat(migrate(2, List.of())).contains("CHARGEONCE_EXTRA_JARS: " + jars + " has no jar in it");
    }
}
