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
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Accounts at PSPs as one text: {@code stripe-uk key=/run/secrets/uk; adyen-us key=/run/secrets/us account=Us}. Which PSP an account is at
 * says the first word of its name.
 *
 * @param exposed what the entries would show to others
 */
record PspList(List<PspSettings> accounts, List<String> exposed) {

    static final String SETTING = "CHARGEONCE_PSPS";

    private static final Pattern NAME = Pattern.compile("(stripe|adyen)(-[a-z0-9]{1,20})?");
    private static final Setting<Secret> KEY = Setting.tokenFile(SETTING, "A key.");
    private static final Setting<URI> BASE = Setting.pspUri(SETTING, "An address.");
    private static final Map<String, Set<String>> FIELDS = Map.of(
            "stripe", Set.of("key", "base", "webhooks"), "adyen", Set.of("key", "base", "webhooks", "account"));

    /** One entry: its fields by name. */
    private record Entry(String name, Map<String, String> fields) {

        String kind() {
            return name.split("-", 2)[0];
        }

        Supplier<String> key() {
            return KEY.parse(fields.get("key"));
        }

        Optional<Supplier<String>> webhooks() {
            return Optional.ofNullable(fields.get("webhooks")).map(KEY::parse);
        }

        String base(String usual) {
            return BASE.parse(fields.getOrDefault("base", usual)).toString();
        }
    }

    /**
     * @param callTimeout how long one HTTP exchange may take, its body included
     * @param receipts    whether Stripe mails receipts
     * @throws IllegalArgumentException if an entry is none; it names the entry and what it must be
     */
    static PspList parse(String text, Duration callTimeout, boolean receipts) {
        List<Entry> entries = Arrays.stream(text.split(";")).map(String::strip).filter(entry -> !entry.isEmpty())
                .map(PspList::entry).toList();
        var accounts = new ArrayList<PspSettings>();
        for (Entry entry : entries) {
            try {
                accounts.add(account(entry, callTimeout, receipts));
            } catch (IllegalArgumentException notAllowed) {
                throw wrong(entry.name, "a file is missing, cannot be read or holds no key, or the address is none");
            }
        }
        return new PspList(List.copyOf(accounts), entries.stream().flatMap(PspList::exposed).toList());
    }

    static boolean canBeNamed(String name) {
        return NAME.matcher(name).matches();
    }

    private static PspSettings account(Entry entry, Duration callTimeout, boolean receipts) {
        return entry.kind().equals("stripe")
                ? new StripeSettings(entry.name, entry.key(), entry.base(StripeSettings.API_BASE), callTimeout, entry.webhooks(), receipts)
                : new AdyenSettings(entry.name, entry.key(), entry.fields.getOrDefault("account", AdyenSettings.MERCHANT_ACCOUNT),
                        entry.base(AdyenSettings.API_BASE), callTimeout, entry.webhooks());
    }

    private static Entry entry(String text) {
        String[] words = text.split("\\s+");
        String name = words[0];
        if (!canBeNamed(name)) {
            throw wrong(name, "its name must be stripe or adyen, or one of them with a dash and up to 20 lower-case letters and digits");
        }
        var entry = new Entry(name, new HashMap<>());
        for (String word : Arrays.asList(words).subList(1, words.length)) {
            String[] field = word.split("=", 2);
            if (field.length < 2 || !FIELDS.get(entry.kind()).contains(field[0]) || entry.fields.put(field[0], field[1]) != null) {
                throw wrong(name, "'%s' is no field, or is there twice; there are %s"
                        .formatted(field[0], FIELDS.get(entry.kind()).stream().sorted().toList()));
            }
        }
        if (!entry.fields.containsKey("key")) {
            throw wrong(name, "it needs key=FILE");
        }
        return entry;
    }

    private static Stream<String> exposed(Entry entry) {
        String name = SETTING + ", entry " + entry.name;
        return Stream.concat(
                Stream.of("key", "webhooks").flatMap(field -> Stream.ofNullable(entry.fields.get(field)))
                        .flatMap(file -> Exposure.openFile(name, Path.of(file)).stream()),
                Stream.ofNullable(entry.fields.get("base")).flatMap(base -> Exposure.plainHttp(name, URI.create(base)).stream()));
    }

    private static IllegalArgumentException wrong(String name, String why) {
        return new IllegalArgumentException("%s: the entry '%s' is wrong: %s".formatted(SETTING, name, why));
    }
}
