// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.payment.Rail;
import io.chargeonce.psp.PspAccount;
import io.chargeonce.psp.PspProviders;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Accounts at PSPs as one text: {@code stripe-uk key=/run/secrets/uk; adyen-us key=/run/secrets/us account=Us}. The first word of an
 * account's name says at which PSP it is.
 *
 * @param exposed what the entries would show to others
 */
record PspList(List<PspSettings> accounts, List<String> exposed) {

    static final String SETTING = "CHARGEONCE_PSPS";

    /** One entry: its fields by name, and a sentence for each that is wrong. */
    private record Entry(String name, Optional<PspProviders.Found> psp, Map<String, String> fields, Map<Setting<?>, Object> values,
            List<String> problems, List<String> exposed) {

        static Entry of(String text, PspProviders psps, Settings all) {
            String[] words = text.split("\\s+");
            var psp = psps.of(words[0]).filter(found -> found.rules().rail() == Rail.CARD);
            var entry = new Entry(words[0], psp, new HashMap<>(), new HashMap<>(), new ArrayList<>(), new ArrayList<>());
            if (psp.isPresent()) {
                Arrays.stream(words).skip(1).forEach(entry::read);
                psp.get().settings().forEach((field, setting) -> entry.check(field, setting, all));
            } else {
                entry.wrong("the name must be " + psps.known().names(Rail.CARD));
            }
            return entry;
        }

        private void read(String word) {
            String[] field = word.split("=", 2);
            Set<String> known = psp.orElseThrow().settings().keySet();
            if (field.length < 2 || !known.contains(field[0])) {
                wrong("'%s' is not a field; the fields are %s, each with = and its value".formatted(field[0], String.join(", ", known)));
            } else if (fields.put(field[0], field[1]) != null) {
                wrong(field[0] + " is there twice");
            }
        }

        private <T> void check(String field, Setting<T> setting, Settings all) {
            String text = fields.get(field);
            if (text == null) {
                setting.defaultValue().ifPresentOrElse(value -> values.put(setting, value),
                        () -> wrong("%s is missing; it must be %s".formatted(field, setting.allowed())));
            } else if (text.isEmpty()) {
                wrong("%s is empty; it must be %s, or left out".formatted(field, setting.allowed()));
            } else {
                try {
                    T value = setting.parse(text);
                    values.put(setting, value);
                    setting.exposed(SETTING + ", entry " + name, value, all).ifPresent(exposed::add);
                } catch (IllegalArgumentException notAllowed) {
                    // What stands there may be the secret itself, so it is not told.
                    wrong(setting.shown(text).equals(text) ? "%s is '%s', but must be %s".formatted(field, text, setting.allowed())
                            : "%s must be %s".formatted(field, setting.allowed()));
                }
            }
        }

        private void wrong(String what) {
            problems.add("%s, entry '%s': %s".formatted(SETTING, name, what));
        }
    }

    /**
     * @param psps        entries of others are of plugins that this process does not load, and are passed over unless {@code strictly}
     * @param all         of this process, for what an entry exposes
     * @param callTimeout how long one HTTP exchange may take, its body included
     * @param receipts    whether PSPs mail receipts
     * @throws IllegalArgumentException if fields are wrong; a line for each says its entry and what it must be
     */
    static PspList parse(String text, PspProviders psps, boolean strictly, Settings all, Duration callTimeout, boolean receipts) {
        List<Entry> entries = Arrays.stream(text.split(";")).map(String::strip).filter(entry -> !entry.isEmpty())
                .map(entry -> Entry.of(entry, psps, all)).filter(entry -> strictly || entry.psp.isPresent()).toList();
        List<String> problems = entries.stream().flatMap(entry -> entry.problems.stream()).toList();
        if (!problems.isEmpty()) {
            // Indented as the lines of other problems are.
            throw new IllegalArgumentException(String.join("\n  ", problems));
        }
        return new PspList(entries.stream().map(entry -> entry.psp.orElseThrow()
                .account(PspAccount.of(entry.name, entry.values, callTimeout, receipts))).toList(),
                entries.stream().flatMap(entry -> entry.exposed.stream()).toList());
    }
}
