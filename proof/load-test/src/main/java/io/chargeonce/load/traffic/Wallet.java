// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.traffic;

import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * The payment methods that merchants have stored in campaigns and universes: with tokens of both PSPs, or of one alone. A PSP takes its own
 * token only, and only with the customer that it is stored with there; simulators do the same.
 */
public final class Wallet {

    private static final List<String> KINDS = List.of("stripe,adyen", "stripe", "adyen");
    private static final double OF_BOTH = 0.6;
    private static final int LENGTH = 26;
    private static final String OURS = "pmt_";
    private static final String STRIPES = "pm_of_";
    private static final String ADYENS = "stored_of_";

    private Wallet() {}

    private static final String STORE = """
            SELECT chargeonce.store_payment_method('%1$s', '%2$s', '%3$s', sha256('%2$s'), psps,
                       ARRAY(SELECT CASE psp WHEN 'stripe' THEN 'cus_' ELSE '' END || '%1$s' FROM unnest(psps) AS psp),
                       ARRAY(SELECT CASE psp WHEN 'stripe' THEN '%4$s' ELSE '%5$s' END || '%1$s' FROM unnest(psps) AS psp))
              FROM string_to_array('%6$s', ',') AS psps
            """;

    /** Statements that store them. */
    public static List<String> rows(List<String> merchants) {
        return merchants.stream().flatMap(merchant -> IntStream.range(0, KINDS.size()).mapToObj(kind -> STORE.formatted(merchant,
                id(merchant, kind), customer(merchant), STRIPES, ADYENS, KINDS.get(kind)))).toList();
    }

    /** An id that no key derives. */
    private static String id(String merchant, int kind) {
        return OURS + ((char) ('a' + kind) + merchant.replaceAll("[^a-z2-7]", "b")).repeat(LENGTH).substring(0, LENGTH);
    }

    /** One of the merchant's; most have tokens of both PSPs. */
    public static String any(RandomGenerator random, String merchant) {
        return id(merchant, random.nextDouble() < OF_BOTH ? 0 : 1 + random.nextInt(KINDS.size() - 1));
    }

    public static boolean holds(String method) {
        return method.startsWith(OURS);
    }

    /** The merchant's name for whose they are. */
    public static String customer(String merchant) {
        return "customer-of-" + merchant;
    }

    /** Whether Stripe takes this card with this customer. */
    public static boolean isStripes(String method, String customer) {
        return !method.startsWith(ADYENS) && !holds(method)
                && (!method.startsWith(STRIPES) || ("cus_" + method.substring(STRIPES.length())).equals(customer));
    }

    /** Whether Adyen takes this card with this shopper. */
    public static boolean isAdyens(String method, String shopper) {
        return !method.startsWith(STRIPES) && !holds(method)
                && (!method.startsWith(ADYENS) || method.substring(ADYENS.length()).equals(shopper));
    }
}
