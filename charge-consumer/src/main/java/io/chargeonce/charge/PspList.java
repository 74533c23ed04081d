// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.psp.PspSettings;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.runtime.Exposure;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Accounts at PSPs as one text: {@code stripe-uk key=/run/secrets/uk; adyen-us key=/run/secrets/us account=Us}. The first word of an
 * account's name says at which PSP it is.
 *
 * @param exposed what the entries would show to others
 */
record PspList(List<PspSettings> accounts, List<String> exposed) {

    static final String SETTING = "CHARGEONCE_PSPS";

    private static final String KEY = "key";
    private static final String WEBHOOKS = "webhooks";
    private static final String BASE = "base";
    private static final String ACCOUNT = "account";
    private static final Pattern NAME = Pattern.compile("(stripe|adyen)(-[a-z0-9]{1,20})?");
    private static final Setting<Secret> SECRET = Setting.tokenFile(SETTING, "A key.");
    private static final Setting<URI> ADDRESS = Setting.pspUri(SETTING, "An address.");
    private static final Map<String, List<String>> FIELDS = Map.of(
            "stripe", List.of(BASE, KEY, WEBHOOKS), "adyen", List.of(ACCOUNT, BASE, KEY, WEBHOOKS));

    /** One entry: its fields by name, and a sentence for each that is wrong. */
    private record Entry(String name, Map<String, String> fields, List<String> problems) {

        static Entry of(String text) {
            String[] words = text.split("\\s+");
            var entry = new Entry(words[0], new HashMap<>(), new ArrayList<>());
            if (canBeNamed(words[0])) {
                Arrays.stream(words).skip(1).forEach(entry::read);
                entry.check();
            } else {
                entry.wrong("the name must be stripe or adyen, or one of them with a dash and up to 20 lower-case letters and digits");
            }
            return entry;
        }

        private void read(String word) {
            String[] field = word.split("=", 2);
            if (field.length < 2 || !FIELDS.get(kind()).contains(field[0])) {
                wrong("'%s' is not a field; the fields are %s, each with = and its value"
                        .formatted(field[0], String.join(", ", FIELDS.get(kind()))));
            } else if (fields.put(field[0], field[1]) != null) {
                wrong(field[0] + " is there twice");
            }
        }

        private void check() {
            if (!fields.containsKey(KEY)) {
                wrong("key is missing; it must be " + SECRET.allowed());
            }
            // What stands there may be the secret itself, so it is not told.
            for (String field : List.of(KEY, WEBHOOKS)) {
                check(SECRET, field, field + " must be " + SECRET.allowed());
            }
            check(ADDRESS, BASE, "base is '%s', but must be %s".formatted(fields.get(BASE), ADDRESS.allowed()));
            if (fields.getOrDefault(ACCOUNT, "-").isEmpty()) {
                wrong("account is empty; it must be a text, or left out");
            }
        }

        private void check(Setting<?> type, String field, String problem) {
            if (fields.containsKey(field)) {
                try {
                    type.parse(fields.get(field));
                } catch (IllegalArgumentException notAllowed) {
                    wrong(problem);
                }
            }
        }

        private void wrong(String what) {
            problems.add("%s, entry '%s': %s".formatted(SETTING, name, what));
        }

        String kind() {
            return name.split("-", 2)[0];
        }

        Supplier<String> key() {
            return SECRET.parse(fields.get(KEY));
        }

        Optional<Supplier<String>> webhooks() {
            return Optional.ofNullable(fields.get(WEBHOOKS)).map(SECRET::parse);
        }

        String base(String usual) {
            return ADDRESS.parse(fields.getOrDefault(BASE, usual)).toString();
        }
    }

    /**
     * @param callTimeout how long one HTTP exchange may take, its body included
     * @param receipts    whether Stripe mails receipts
     * @throws IllegalArgumentException if fields are wrong; a line for each says its entry and what it must be
     */
    static PspList parse(String text, Duration callTimeout, boolean receipts) {
        List<Entry> entries =
                Arrays.stream(text.split(";")).map(String::strip).filter(entry -> !entry.isEmpty()).map(Entry::of).toList();
        List<String> problems = entries.stream().flatMap(entry -> entry.problems.stream()).toList();
        if (!problems.isEmpty()) {
            // Indented as the lines of other problems are.
            throw new IllegalArgumentException(String.join("\n  ", problems));
        }
        return new PspList(entries.stream().map(entry -> account(entry, callTimeout, receipts)).toList(),
                entries.stream().flatMap(PspList::exposed).toList());
    }

    private static final Pattern BANK = Pattern.compile("bank(-[a-z0-9]{1,20})?");

    /** Whether routes may lead to an account of this name: one at a PSP, or one at a bank. */
    static boolean mayBeRouted(String name) {
        return canBeNamed(name) || BANK.matcher(name).matches();
    }

    static boolean canBeNamed(String name) {
        return NAME.matcher(name).matches();
    }

    private static PspSettings account(Entry entry, Duration callTimeout, boolean receipts) {
        return entry.kind().equals("stripe")
                ? new StripeSettings(entry.name, entry.key(), entry.base(StripeSettings.API_BASE), callTimeout, entry.webhooks(), receipts)
                : new AdyenSettings(entry.name, entry.key(), entry.fields.getOrDefault(ACCOUNT, AdyenSettings.MERCHANT_ACCOUNT),
                        entry.base(AdyenSettings.API_BASE), callTimeout, entry.webhooks());
    }

    private static Stream<String> exposed(Entry entry) {
        String name = SETTING + ", entry " + entry.name;
        return Stream.concat(
                Stream.of(KEY, WEBHOOKS).flatMap(field -> Stream.ofNullable(entry.fields.get(field)))
                        .flatMap(file -> Exposure.openFile(name, Path.of(file)).stream()),
                Stream.ofNullable(entry.fields.get(BASE)).flatMap(base -> Exposure.plainHttp(name, URI.create(base)).stream()));
    }
}
