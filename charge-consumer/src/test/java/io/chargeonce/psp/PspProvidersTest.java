// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.runtime.SettingsProblems;
import io.chargeonce.sandbox.CompiledJar;
import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A jar in a folder brings a PSP, or the process says what is wrong with it before it starts. */
class PspProvidersTest {

    private static final Path EXAMPLE = Path.of("../examples/psp-plugin/src/main");

    @TempDir
    Path directory;
    private Path plugins;
    private final Map<String, String> environment = new HashMap<>();

    @BeforeEach
    void start() throws IOException {
        plugins = mode(Files.createDirectory(directory.resolve("plugins")), "rwxr-xr-x");
        DataKeys.add(directory.resolve("data-key"));
        environment.put("CHARGEONCE_DATA_KEY_FILE", directory.resolve("data-key") + DataKeys.PUBLIC);
        Path key = mode(Files.writeString(directory.resolve("key"), "secret"), "rw-------");
        environment.put("CHARGEONCE_STRIPE_API_KEY_FILE", key.toString());
        environment.put("CHARGEONCE_PSP_PLUGINS", plugins.toString());
        environment.put("CHARGEONCE_PSP_PAPER_KEY_FILE", key.toString());
        environment.put("CHARGEONCE_PSP_PAPER_BASE", "https://paper.example");
    }

    private static Path mode(Path file, String mode) throws IOException {
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private ChargeSettings read() {
        return ChargeSettings.read(environment, ChargeSettings.ALL);
    }

    private List<String> names() {
        return read().gateways().stream().map(Gateway::psp).toList();
    }

    private String problems() {
        return String.join("\n", catchThrowableOfType(SettingsProblems.class, this::read).problems());
    }

    /** A provider of one line, whose jar does not have the example's classes. */
    private void plugin(String jar, String provider) throws IOException {
        plugin(jar, provider, "throw new IllegalArgumentException(\"an account of \" + account.name());");
    }

    private void plugin(String jar, String provider, String account) throws IOException {
        Path sources = Files.createDirectories(directory.resolve(jar));
        Files.createDirectories(sources.resolve("resources/META-INF/services"));
        Files.writeString(sources.resolve("resources/META-INF/services/io.chargeonce.psp.PspProvider"), "Small");
        Files.createDirectory(sources.resolve("java"));
        Files.writeString(sources.resolve("java/Small.java"), """
                import io.chargeonce.payment.PspUnits;
                import io.chargeonce.payment.method.PspRules;
                import io.chargeonce.psp.*;
                import io.chargeonce.runtime.Setting;
                import java.util.Map;
                public class Small implements PspProvider {
                    public PspRules rules() { return new PspRules("%s", PspUnits.none().with(2, 1, "EUR")); }
                    public Map<String, Setting<?>> settings() { return Map.of("key", Setting.string("%s", "A key.")); }
                    public PspSettings account(PspAccount account) { %s }
                }
                """.formatted(provider.split(" ")[0], provider.split(" ")[1], account));
        CompiledJar.of(plugins.resolve(jar), sources);
    }

    @Test
    void the_providers_on_the_class_path_bring_what_every_process_knows() {
        assertThat(PspProviders.BUILT_IN.known().byName()).isEqualTo(KnownPsps.BUILT_IN.byName());
    }

    @Test
    void a_jar_brings_a_psp_with_settings_accounts_quotas_and_routes_of_its_own() throws IOException {
        CompiledJar.of(plugins.resolve("paper.jar"), EXAMPLE);
        environment.put("CHARGEONCE_PSPS", "paper-eu key=%s base=https://eu.paper.example".formatted(directory.resolve("key")));
        environment.put("CHARGEONCE_PSP_QUOTAS", "paper=10,paper-eu=5");
        environment.put("CHARGEONCE_ROUTES", "currency=JPY -> paper-eu; -> paper,stripe");
        assertThat(names()).containsExactly("stripe", "paper", "paper-eu");
        assertThat(read().psps()).extracting(PspSettings::apiBase).contains("https://paper.example", "https://eu.paper.example");
        assertThat(read().toString()).doesNotContain("secret");
    }

    @Test
    void without_the_folder_nothing_of_it_is_loaded_and_its_names_are_unknown() throws IOException {
        CompiledJar.of(plugins.resolve("paper.jar"), EXAMPLE);
        environment.remove("CHARGEONCE_PSP_PLUGINS");
        assertThat(problems()).contains("CHARGEONCE_PSP_PAPER_KEY_FILE: there is no such setting");
    }

    @Test
    void a_missing_setting_is_told_with_the_jar_that_needs_it() throws IOException {
        CompiledJar.of(plugins.resolve("paper.jar"), EXAMPLE);
        environment.remove("CHARGEONCE_PSP_PAPER_BASE");
        assertThat(problems()).contains("CHARGEONCE_PSP_PAPER_BASE: is required by the PSP paper of", "paper.jar, and must be an http",
                "set it, or take the jar out of CHARGEONCE_PSP_PLUGINS").doesNotContain("PAPER_KEY");
        environment.remove("CHARGEONCE_PSP_PAPER_KEY_FILE");
        environment.put("CHARGEONCE_PSPS", "paper-eu key=%s base=https://eu.paper.example".formatted(directory.resolve("key")));
        assertThat(names()).containsExactly("stripe", "paper-eu");
    }

    @Test
    void a_misspelt_setting_of_a_plugin_is_refused() throws IOException {
        CompiledJar.of(plugins.resolve("paper.jar"), EXAMPLE);
        environment.put("CHARGEONCE_PSP_PAPER_BSAE", "https://paper.example");
        assertThat(problems()).contains("CHARGEONCE_PSP_PAPER_BSAE: there is no such setting");
    }

    @Test
    void two_jars_with_one_name_are_refused_and_so_is_one_with_a_name_of_ours() throws IOException {
        CompiledJar.of(plugins.resolve("a.jar"), EXAMPLE);
        CompiledJar.of(plugins.resolve("b.jar"), EXAMPLE);
        plugin("c.jar", "stripe CHARGEONCE_PSP_STRIPE_KEY");
        assertThat(problems()).contains("a.jar and ", "b.jar both bring the PSP paper; take one out",
                "this version itself and ", "c.jar both bring the PSP stripe");
    }

    @Test
    void jars_that_cannot_be_loaded_are_told_all_at_once() throws IOException {
        Files.writeString(plugins.resolve("broken.jar"), "no jar");
        CompiledJar.of(plugins.resolve("library.jar"), library());
        plugin("names.jar", "small CHARGEONCE_SMALL_KEY");
        plugin("caps.jar", "SMALL CHARGEONCE_PSP_SMALL_KEY");
        assertThat(problems()).contains("broken.jar cannot be loaded", "library.jar cannot be loaded: ",
                "it has no file META-INF/services/io.chargeonce.psp.PspProvider", "names.jar cannot be loaded",
                "a name that begins with CHARGEONCE_PSP_SMALL_", "caps.jar cannot be loaded", "a PSP's name is 2 to 20 lower-case letters",
                "take it out");
    }

    private Path library() throws IOException {
        Path java = Files.createDirectories(directory.resolve("library/java"));
        Files.writeString(java.resolve("Library.java"), "public class Library {}");
        return java.getParent();
    }

    /** Accounts of one name would be one account, whose attempts are looked for at the wrong place. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"\"small\" | account.name() | name() of its PspSettings",
        "account.name() | \"small\" | psp() of its Gateway"})
    void an_account_that_a_plugin_calls_otherwise_is_refused(String name, String psp, String method) throws IOException {
        plugin("small.jar", "small CHARGEONCE_PSP_SMALL_KEY", """
                String psp = %s;
                Gateway gateway = (Gateway) java.lang.reflect.Proxy.newProxyInstance(Small.class.getClassLoader(),
                        new Class<?>[] {Gateway.class}, (proxy, method, arguments) -> psp);
                return new PspSettings() {
                    public String name() { return %s; }
                    public String apiBase() { return "https://small.example"; }
                    public Gateway gateway() { return gateway; }
                };
                """.formatted(psp, name));
        environment.put("CHARGEONCE_PSPS", "small key=a; small-eu key=b");
        environment.keySet().removeIf(variable -> variable.startsWith("CHARGEONCE_PSP_PAPER"));
        assertThat(String.join("\n", catchThrowableOfType(SettingsProblems.class, this::names).problems()))
                .contains("small.jar calls the account small-eu 'small'; let " + method + " return PspAccount.name()");
    }

    @ParameterizedTest
    @CsvSource({"., rwxrwxr-x", "., rwxr-xrwx", "paper.jar, rw-rw-r--", "paper.jar, rw-r--rw-"})
    void code_that_others_may_change_is_refused_before_it_runs_unless_that_is_allowed(String changeable, String mode) throws IOException {
        CompiledJar.of(plugins.resolve("paper.jar"), EXAMPLE);
        Files.writeString(plugins.resolve("broken.jar"), "no jar");
        mode(plugins.resolve(changeable), mode);
        assertThat(problems()).contains("CHARGEONCE_PSP_PLUGINS: " + plugins.resolve(changeable).normalize(), mode,
                "so other accounts may put code into this process; chmod go-w it, or mount it read-only", "CHARGEONCE_INSECURE: with yes")
                .doesNotContain("broken.jar");
        Files.delete(plugins.resolve("broken.jar"));
        environment.put("CHARGEONCE_INSECURE", "yes");
        assertThat(names()).containsExactly("stripe", "paper");
    }

    @Test
    void what_a_plugin_says_about_its_account_is_told_with_the_other_problems() throws IOException {
        plugin("small.jar", "small CHARGEONCE_PSP_SMALL_KEY");
        environment.put("CHARGEONCE_PSP_SMALL_KEY", "a");
        environment.keySet().removeIf(name -> name.startsWith("CHARGEONCE_PSP_PAPER"));
        assertThat(problems()).contains("an account of small");
        assertThat(PspProviders.in(Optional.of(plugins)).of("small-eu")).isPresent();
    }
}
