// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment.method;

import io.chargeonce.payment.Money;
import io.chargeonce.payment.Rail;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The PSPs that this process knows: those that come with it, and those of its plugins. Immutable and pure. */
public final class KnownPsps {

    /** Without plugins. */
    public static final KnownPsps BUILT_IN = of(List.of(PspRules.STRIPE, PspRules.ADYEN, PspRules.BANK));

    private static final Pattern SUFFIX = Pattern.compile("(-[a-z0-9]{1,20})?");

    private final TreeMap<String, PspRules> byName = new TreeMap<>();

    private KnownPsps() {}

    /** @throws IllegalArgumentException if two have the same name */
    public static KnownPsps of(Collection<PspRules> psps) {
        var known = new KnownPsps();
        for (PspRules psp : psps) {
            if (known.byName.put(psp.name(), psp) != null) {
                throw new IllegalArgumentException("two PSPs are called " + psp.name());
            }
        }
        return known;
    }

    /** At which PSP the account of this name is, such as {@code stripe} or {@code stripe-uk}; empty if no account can have the name. */
    public Optional<PspRules> of(String account) {
        String name = account.split("-", 2)[0];
        return Optional.ofNullable(byName.get(name)).filter(psp -> SUFFIX.matcher(account.substring(name.length())).matches());
    }

    /** Whether an account at a PSP of this rail can have this name. */
    public boolean canBeNamed(String account, Rail rail) {
        return of(account).filter(psp -> psp.rail() == rail).isPresent();
    }

    /** What an account's name must be, for a message: {@code adyen or stripe, or one of them with a dash …}. */
    public String names(Rail... rails) {
        String names = String.join(", ", byName.values().stream().filter(psp -> List.of(rails).contains(psp.rail())).map(PspRules::name)
                .toList());
        return names.replaceFirst(", ([^,]*)$", " or $1") + ", or one of them with a dash and up to 20 lower-case letters and digits";
    }

    /** Whether the PSP takes the currency and has a unit for the amount. One that is not known takes everything. */
    public boolean canSay(String account, Money money) {
        return of(account).map(psp -> psp.units().canSay(money)).orElse(true);
    }

    /** Whether it has a token for the payment's method, a unit for the amount and room for the texts. */
    public boolean canSay(String account, Money money, PspTokens tokens) {
        return tokens.at(account).filter(token -> of(account).map(psp -> psp.canSay(money, token)).orElse(true)).isPresent();
    }

    /** Whether each PSP that takes cards can say it, so that it does not matter which of them gets it. */
    public boolean allCanSay(Money money, PspTokens tokens) {
        return cards().allMatch(psp -> canSay(psp.name(), money, tokens));
    }

    /** Whether each PSP that takes cards can express this amount. */
    public boolean allCanSay(Money money) {
        return cards().allMatch(psp -> psp.units().canSay(money));
    }

    /** Whether any PSP can express this amount. */
    public boolean anyCanSay(Money money) {
        return byName.values().stream().anyMatch(psp -> psp.units().canSay(money));
    }

    private Stream<PspRules> cards() {
        return byName.values().stream().filter(psp -> psp.rail() == Rail.CARD);
    }

    /** By name. */
    public Map<String, PspRules> byName() {
        return Map.copyOf(byName);
    }
}
