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
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {
    private enum Colour { DARK_RED, GREEN }

    private record Example(String name, int count, long bytes, boolean enabled, Duration pause, List<Duration> tiers,
            Address listen, URI api, Colour colour, Optional<String> note) {
        static final Setting<String> NAME = Setting.string("CHARGEONCE_NAME", "What it is called.");
        static final Setting<Integer> COUNT = Setting.integer("CHARGEONCE_COUNT", "How many.").between("1", "100").orElse("12");
        static final Setting<Long> BYTES = Setting.longInteger("CHARGEONCE_BYTES", "How large, in bytes.").orElse("65536");
        static final Setting<Boolean> ENABLED = Setting.bool("CHARGEONCE_ENABLED", "Whether.").orElse("false");
        static final Setting<Duration> WAIT = Setting.duration("CHARGEONCE_WAIT", "How long.").between("100ms", "1h").orElse("5s");
        static final Setting<List<Duration>> TIERS = Setting.durations("CHARGEONCE_TIERS", "How long, by tier.").orElse("5s,1m,10m");
        static final Setting<Address> LISTEN = Setting.address("CHARGEONCE_LISTEN", "Where to listen.").orElse("127.0.0.1:8080");
        static final Setting<URI> API = Setting.uri("CHARGEONCE_API", "Whom to call.").orElse("https://api.example.com");
        static final Setting<Colour> COLOUR = Setting.oneOf("CHARGEONCE_COLOUR", Colour.class, "Which colour.").orElse("dark-red");
        static final Setting<Optional<String>> NOTE = Setting.string("CHARGEONCE_NOTE", "A note.").optional();
        static final List<Setting<?>> ALL = List.of(NAME, COUNT, BYTES, ENABLED, WAIT, TIERS, LISTEN, API, COLOUR, NOTE);

        static Example from(Settings s) {
            return new Example(s.get(NAME), s.get(COUNT), s.get(BYTES), s.get(ENABLED), s.get(WAIT), s.get(TIERS),
                    s.get(LISTEN), s.get(API), s.get(COLOUR), s.get(NOTE));
        }
    }

    private static Settings load(Map<String, String> environment) {
        return Settings.load(environment, Example.ALL, Example.ALL);
    }

    private static List<String> problemsOf(Map<String, String> environment) {
        return catchThrowableOfType(SettingsProblems.class, () -> load(environment)).problems();
    }

    @Test
    void a_setting_that_is_not_given_has_its_default() {
        assertThat(load(Map.of("CHARGEONCE_NAME", "n")).read(Example::from)).isEqualTo(new Example("n", 12, 65_536, false,
                Duration.ofSeconds(5), List.of(Duration.ofSeconds(5), Duration.ofMinutes(1), Duration.ofMinutes(10)),
                new Address("127.0.0.1", 8080), URI.create("https://api.example.com"), Colour.DARK_RED, Optional.empty()));
    }

    @Test
    void every_setting_can_be_said() {
        Map<String, String> environment = Map.of("CHARGEONCE_NAME", "n", "CHARGEONCE_COUNT", "100", "CHARGEONCE_BYTES", "5000000000",
                "CHARGEONCE_ENABLED", "true", "CHARGEONCE_WAIT", "250ms", "CHARGEONCE_TIERS", "1s, 2h,3d",
                "CHARGEONCE_LISTEN", "[::1]:0", "CHARGEONCE_API", "http://127.0.0.1:8090/v1", "CHARGEONCE_COLOUR", "green",
                "CHARGEONCE_NOTE", "hello");

        assertThat(load(environment).read(Example::from)).isEqualTo(new Example("n", 100, 5_000_000_000L, true,
                Duration.ofMillis(250), List.of(Duration.ofSeconds(1), Duration.ofHours(2), Duration.ofDays(3)),
                new Address("::1", 0), URI.create("http://127.0.0.1:8090/v1"), Colour.GREEN, Optional.of("hello")));
    }

    @Test
    void all_problems_are_reported_at_once() {
        Map<String, String> environment = new HashMap<>(Map.of("CHARGEONCE_COUNT", "101", "CHARGEONCE_BYTES", "64k",
                "CHARGEONCE_ENABLED", "yes", "CHARGEONCE_WAIT", "99ms", "CHARGEONCE_TIERS", "5s,,1m", "CHARGEONCE_LISTEN", "localhost",
                "CHARGEONCE_API", "ftp://x", "CHARGEONCE_COLOUR", "blue", "CHARGEONCE_NOTE", ""));
        environment.put("CHARGEONCE_TYPO", "1");

        assertThat(problemsOf(environment)).containsExactlyInAnyOrder(
                "CHARGEONCE_TYPO: there is no such setting; correct its name or remove it from the environment",
                "CHARGEONCE_NAME: is required, and must be text",
                "CHARGEONCE_COUNT: is '101', but must be a whole number from 1 to 100",
                "CHARGEONCE_BYTES: is '64k', but must be a whole number",
                "CHARGEONCE_ENABLED: is 'yes', but must be true or false",
                "CHARGEONCE_WAIT: is '99ms', but must be a duration such as 250ms, 5s, 1m, 2h or 1d from 100ms to 1h",
                "CHARGEONCE_TIERS: is '5s,,1m', but must be durations separated by commas, such as 5s,1m,10m",
                "CHARGEONCE_LISTEN: is 'localhost', but must be host:port, such as 127.0.0.1:8080",
                "CHARGEONCE_API: is 'ftp://x', but must be an http or https address, such as https://api.example.com",
                "CHARGEONCE_COLOUR: is 'blue', but must be one of dark-red, green",
                "CHARGEONCE_NOTE: is empty; give text, or remove it");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/chargeonce", "https://payments.example.com/eu", "urn:payments:eu", "payments", "/a%20b?c=d#e"})
    void a_uri_reference_is_kept_as_it_was_written(String text) {
        assertThat(PipelineSettings.EVENT_SOURCE.parse(text)).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "/a\nb", "/%zz", "1:2", "/zahlungen-für-alle", "/{tenant}"})
    void no_uri_reference_is_no_source_of_events(String text) {
        assertThatThrownBy(() -> PipelineSettings.EVENT_SOURCE.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_source_of_events_has_at_most_200_characters() {
        assertThat(PipelineSettings.EVENT_SOURCE.parse("/" + "a".repeat(199))).hasSize(200);
        assertThatThrownBy(() -> PipelineSettings.EVENT_SOURCE.parse("/" + "a".repeat(200))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void the_environment_wins_over_the_properties_file(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("c.properties"), "CHARGEONCE_NAME=file\nCHARGEONCE_COUNT=3\n");

        Example example = load(Map.of("CHARGEONCE_PROPERTIES_FILE", file.toString(), "CHARGEONCE_NAME", "environment")).read(Example::from);

        assertThat(example.name()).isEqualTo("environment");
        assertThat(example.count()).isEqualTo(3);
    }

    @Test
    void every_unknown_name_in_the_properties_file_is_a_problem_and_so_is_a_missing_file(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("c.properties"), "CHARGEONCE_NAME=n\nname=n\n");

        assertThat(problemsOf(Map.of("CHARGEONCE_PROPERTIES_FILE", file.toString())))
                .containsExactly("name: there is no such setting; correct its name or remove it from the properties file");
        assertThat(problemsOf(Map.of("CHARGEONCE_NAME", "n", "CHARGEONCE_PROPERTIES_FILE", "/missing")))
                .containsExactly(
                        "CHARGEONCE_PROPERTIES_FILE: is '/missing', which can't be read; it must be the path of a readable properties "
                                + "file");
    }

    @Test
    void settings_of_other_processes_are_known_but_not_checked() {
        Map<String, String> environment = Map.of("CHARGEONCE_NAME", "n", "CHARGEONCE_COUNT", "far too many");

        Settings settings = Settings.load(environment, List.of(Example.NAME), Example.ALL);

        assertThat(settings.get(Example.NAME)).isEqualTo("n");
        assertThatThrownBy(() -> settings.get(Example.COUNT)).isInstanceOf(IllegalStateException.class).hasMessageStartingWith("Bug!");
    }

    @Test
    void a_record_that_refuses_its_settings_is_a_problem_of_the_settings() {
        Settings settings = load(Map.of("CHARGEONCE_NAME", "n"));

        assertThatThrownBy(() -> settings.read(all -> {
            throw new IllegalArgumentException("the lease must be longer than the call");
        })).isInstanceOf(SettingsProblems.class).hasMessageContaining("the lease must be longer than the call");
    }

    @Test
    void a_secret_comes_trimmed_from_its_file_and_is_never_printed(@TempDir Path directory) throws IOException {
        Setting<Secret> password = Setting.secretFile("CHARGEONCE_PASSWORD_FILE", "The password.");
        Path file = Files.setPosixFilePermissions(Files.writeString(directory.resolve("password"), "hunter2\n"),
                PosixFilePermissions.fromString("rw-------"));

        Secret secret = Settings.load(Map.of("CHARGEONCE_PASSWORD_FILE", file.toString()), List.of(password), List.of()).get(password);

        assertThat(secret.value()).isEqualTo("hunter2");
        assertThat(secret.toString()).doesNotContain("hunter2");
    }

    @Test
    void a_secret_that_was_given_instead_of_its_file_is_not_printed_either() {
        Setting<Secret> password = Setting.secretFile("CHARGEONCE_PASSWORD_FILE", "The password.");

        assertThatThrownBy(() -> Settings.load(Map.of("CHARGEONCE_PASSWORD_FILE", "hunter2"), List.of(password), List.of()))
                .hasMessageContaining("CHARGEONCE_PASSWORD_FILE: is '***', but must be the path of a readable file that holds the secret")
                .hasMessageNotContaining("hunter2");
    }

    @Test
    void a_default_that_is_not_allowed_is_found_when_the_setting_is_defined() {
        assertThatThrownBy(() -> Setting.integer("CHARGEONCE_X", "X.").between("1", "9").orElse("10"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_setting_has_all_that_a_table_of_settings_needs() {
        assertThat(Example.COUNT.name()).isEqualTo("CHARGEONCE_COUNT");
        assertThat(Example.COUNT.allowed()).isEqualTo("a whole number from 1 to 100");
        assertThat(Example.COUNT.fallback()).isEqualTo("12");
        assertThat(Example.NAME.fallback()).isEqualTo("(required)");
        assertThat(Example.NOTE.fallback()).isEqualTo("(none)");
        assertThat(Example.COUNT.description()).isEqualTo("How many.");
    }
}
