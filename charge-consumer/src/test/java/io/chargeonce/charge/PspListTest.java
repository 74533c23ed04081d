// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.SettingsProblems;
import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An account at a PSP is an entry of the settings. */
class PspListTest {

    @TempDir
    Path directory;
    private final Map<String, String> environment = new HashMap<>();
    private Path key;

    @BeforeEach
    void start() throws IOException {
        key = file("key", "rw-------");
        DataKeys.add(directory.resolve("data-key"));
        environment.put("CHARGEONCE_DATA_KEY_FILE", directory.resolve("data-key") + DataKeys.PUBLIC);
    }

    private Path file(String name, String mode) throws IOException {
        return Files.setPosixFilePermissions(Files.writeString(directory.resolve(name), "secret"), PosixFilePermissions.fromString(mode));
    }

    private PspListTest with(String name, String value) {
        environment.put(name, value.replace("FILE", key.toString()));
        return this;
    }

    private ChargeSettings read() {
        return ChargeSettings.read(environment, ChargeSettings.ALL);
    }

    private List<String> names() {
        return read().gateways().stream().map(Gateway::psp).toList();
    }

    @Test
    void the_variables_of_stripe_and_adyen_are_entries_of_those_names() {
        assertThat(with("CHARGEONCE_STRIPE_API_KEY_FILE", "FILE").names()).containsExactly("stripe");
        assertThat(with("CHARGEONCE_ADYEN_API_KEY_FILE", "FILE").names()).containsExactly("stripe", "adyen");
    }

    @Test
    void a_second_account_at_stripe_is_a_line_of_settings_that_routes_may_lead_to() {
        ChargeSettings settings = with("CHARGEONCE_STRIPE_API_KEY_FILE", "FILE")
                .with("CHARGEONCE_PSPS", "stripe-uk key=FILE base=https://uk.example webhooks=FILE; adyen-us key=FILE account=Us")
                .with("CHARGEONCE_ROUTES", "currency=GBP -> stripe-uk; -> stripe,adyen-us").read();
        assertThat(settings.psps()).extracting(PspSettings::name).containsExactly("stripe", "stripe-uk", "adyen-us");
        assertThat(settings.gateways()).extracting(Gateway::psp).containsExactly("stripe", "stripe-uk", "adyen-us");
        assertThat(settings.gateways()).extracting(gateway -> gateway.webhook().isPresent()).containsExactly(false, true, false);
        assertThat(settings.toString()).contains("https://uk.example", "Us").doesNotContain("secret");
    }

    @Test
    void without_any_account_nothing_starts() {
        assertThatThrownBy(this::read).isInstanceOf(SettingsProblems.class).hasMessageContaining("CHARGEONCE_STRIPE_API_KEY_FILE");
        assertThat(with("CHARGEONCE_PSPS", "adyen-us key=FILE").names()).containsExactly("adyen-us");
    }

    private List<String> problems() {
        return catchThrowableOfType(SettingsProblems.class, this::read).problems().stream().flatMap(String::lines).map(String::strip)
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`',
            value = {"paypal key=FILE | entry 'paypal': the name must be adyen or stripe, or one of them with a dash",
                "stripe-UK key=FILE | entry 'stripe-UK': the name must be adyen or stripe",
                "stripe-uk | entry 'stripe-uk': key is missing; it must be the path of a readable file",
                "stripe-uk key=FILE acount=Uk | entry 'stripe-uk': 'acount' is not a field; the fields are base, key, webhooks",
                "stripe-uk key=FILE account=Uk | entry 'stripe-uk': 'account' is not a field; the fields are base, key, webhooks",
                "adyen-us key=FILE words | entry 'adyen-us': 'words' is not a field; the fields are account, base, key, webhooks",
                "adyen-us key=FILE account= | entry 'adyen-us': account is empty; it must be text",
                "stripe-uk key=/none | entry 'stripe-uk': key must be the path of a readable file",
                "stripe-uk key=FILE webhooks=/none | entry 'stripe-uk': webhooks must be the path of a readable file",
                "stripe-uk key=FILE base=nowhere | entry 'stripe-uk': base is 'nowhere', but must be an http",
                "stripe-uk key=FILE key=FILE | entry 'stripe-uk': key is there twice"})
    void a_wrong_field_is_told_with_its_entry_and_what_it_must_be(String text, String says) {
        with("CHARGEONCE_STRIPE_API_KEY_FILE", "FILE").with("CHARGEONCE_PSPS", text);
        assertThat(problems()).singleElement().asString().startsWith("CHARGEONCE_PSPS, " + says);
    }

    @Test
    void all_that_is_wrong_is_told_at_once_and_no_secret_with_it() {
        with("CHARGEONCE_PSPS", "stripe-uk key=sk_live_secret base=nowhere acount=Uk; adyen-us webhooks=/none; paypal key=FILE");
        assertThat(problems()).hasSize(6).allSatisfy(problem -> assertThat(problem).startsWith("CHARGEONCE_PSPS, entry '")
                .doesNotContain("sk_live"))
                .extracting(problem -> problem.replaceFirst(".*?entry '([a-z-]+)': '?([a-z]+).*", "$1 $2"))
                .containsExactly("stripe-uk acount", "stripe-uk base", "stripe-uk key", "adyen-us key", "adyen-us webhooks", "paypal the");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {"stripe key=FILE | is given twice",
        "stripe-uk key=FILE base=http://uk.example | show keys and payments"})
    void entries_that_do_not_go_with_the_rest_are_refused_at_the_start(String text, String why) {
        with("CHARGEONCE_STRIPE_API_KEY_FILE", "FILE").with("CHARGEONCE_PSPS", text);
        assertThatThrownBy(this::read).isInstanceOf(SettingsProblems.class)
                .satisfies(problem -> assertThat(problem.toString()).contains("CHARGEONCE_PSPS", why));
    }

    @Test
    void a_key_that_others_may_read_is_refused() throws IOException {
        Path open = file("open", "rw-r--r--");
        with("CHARGEONCE_PSPS", "stripe-uk key=" + open);
        assertThatThrownBy(this::read).isInstanceOf(SettingsProblems.class)
                .satisfies(problem -> assertThat(problem.toString()).contains("CHARGEONCE_PSPS", "chmod 600"));
    }

    @Test
    void a_route_to_a_name_that_no_account_can_have_is_refused() {
        with("CHARGEONCE_STRIPE_API_KEY_FILE", "FILE").with("CHARGEONCE_ROUTES", "-> stripe,paypal");
        assertThatThrownBy(this::read).isInstanceOf(SettingsProblems.class)
                .satisfies(problem -> assertThat(problem.toString()).contains("CHARGEONCE_ROUTES", "paypal"));
    }
}
