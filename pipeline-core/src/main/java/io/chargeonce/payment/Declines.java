// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Classifies declines. The network's advice outranks its response code, which outranks the PSP's decline code. An unknown code is soft,
 * once. The code names are Stripe's; other gateways translate theirs, but banks.
 */
public final class Declines {

    /** Source: Stripe, "Advice codes" and Mastercard's merchant advice codes. */
    private static final Map<String, DeclineKind> BY_ADVICE = Map.of(
            "do_not_try_again", DeclineKind.HARD,
            "03", DeclineKind.HARD,
            "21", DeclineKind.HARD,
            "try_again_later", DeclineKind.SOFT,
            "02", DeclineKind.SOFT,
            "confirm_card_data", DeclineKind.ACTION_REQUIRED,
            "01", DeclineKind.ACTION_REQUIRED);

    /** ISO 8583 response codes as card networks use them; 05 is "do not honour". */
    private static final Map<String, DeclineKind> BY_NETWORK = Map.ofEntries(
            Map.entry("04", DeclineKind.HARD), Map.entry("07", DeclineKind.HARD), Map.entry("14", DeclineKind.HARD),
            Map.entry("15", DeclineKind.HARD), Map.entry("41", DeclineKind.HARD), Map.entry("43", DeclineKind.HARD),
            Map.entry("46", DeclineKind.HARD), Map.entry("54", DeclineKind.HARD), Map.entry("57", DeclineKind.HARD),
            Map.entry("R0", DeclineKind.HARD), Map.entry("R1", DeclineKind.HARD), Map.entry("R3", DeclineKind.HARD),
            Map.entry("51", DeclineKind.SOFT), Map.entry("61", DeclineKind.SOFT), Map.entry("65", DeclineKind.SOFT),
            Map.entry("91", DeclineKind.SOFT), Map.entry("96", DeclineKind.SOFT),
            Map.entry("01", DeclineKind.SOFT_ONCE), Map.entry("05", DeclineKind.SOFT_ONCE),
            Map.entry("1A", DeclineKind.ACTION_REQUIRED), Map.entry("82", DeclineKind.ACTION_REQUIRED),
            Map.entry("94", DeclineKind.ASK_FIRST));

    private static final Map<String, DeclineKind> BY_CODE = new HashMap<>();

    static {
        put(DeclineKind.HARD, "lost_card", "stolen_card", "pickup_card", "restricted_card", "fraudulent", "invalid_account",
                "incorrect_number", "expired_card", "card_not_supported", "currency_not_supported", "not_permitted",
                "transaction_not_allowed", "revocation_of_authorization", "stop_payment_order", "do_not_try_again");
        put(DeclineKind.SOFT, "insufficient_funds", "card_velocity_exceeded", "issuer_not_available", "processing_error",
                "reenter_transaction", "try_again_later");
        put(DeclineKind.SOFT_ONCE, "do_not_honor", "generic_decline", "call_issuer");
        put(DeclineKind.ACTION_REQUIRED, "authentication_required", "incorrect_cvc", "incorrect_zip", "confirm_card_data");
        put(DeclineKind.ASK_FIRST, "duplicate_transaction");
        // ISO 20022, external status and return reasons of a bank.
        put(DeclineKind.HARD, "AC01", "AC04", "AC06", "AG01", "MD01", "MD06", "MD07", "SL01");
        put(DeclineKind.SOFT, "AM04");
        put(DeclineKind.SOFT_ONCE, "MS02", "MS03");
    }

    /** Stripe, "Advanced error handling", and Adyen's refusal reasons: none of these says anything about the card or the account. */
    private static final Set<String> TECHNICAL =
            Set.of("processing_error", "issuer_not_available", "reenter_transaction", "try_again_later");
    private static final Set<String> WITHOUT_A_REASON = Set.of("do_not_honor", "generic_decline", "call_issuer");

    /** Codes of card networks that say nothing about the card or the account. */
    private static final Set<String> UNSPECIFIC = Set.of("01", "05", "91", "96");

    private Declines() {}

    /** Empty if none of the codes is in a table. */
    public static Optional<DeclineKind> known(String code, DeclineAdvice advice) {
        return advice.advice().map(BY_ADVICE::get)
                .or(() -> advice.networkCode().map(BY_NETWORK::get))
                .or(() -> Optional.ofNullable(BY_CODE.get(code)));
    }

    static DeclineKind kind(String code, DeclineAdvice advice) {
        return known(code, advice).orElse(DeclineKind.SOFT_ONCE);
    }

    /**
     * The least setting of a merchant under which such a decline goes to another PSP; {@link DeclineFailover#NEVER} if it never does. Both
     * the PSP's code and the network's must say nothing about the card. The network's advice is about the card, wherever it is presented.
     */
    static DeclineFailover failover(String code, DeclineAdvice advice) {
        boolean isAboutTheCard =
                advice.advice().isPresent() || advice.networkCode().filter(network -> !UNSPECIFIC.contains(network)).isPresent();
        return isAboutTheCard ? DeclineFailover.NEVER : byCode(code);
    }

    private static DeclineFailover byCode(String code) {
        return TECHNICAL.contains(code) ? DeclineFailover.TECHNICAL
                : WITHOUT_A_REASON.contains(code) ? DeclineFailover.SOFT : DeclineFailover.NEVER;
    }

    /** The code if it says the same as the advice, which is not stored; else one that does. */
    static String codeAsAdvised(String code, DeclineAdvice advice) {
        DeclineKind kind = kind(code, advice);
        return kind == kind(code, DeclineAdvice.NONE) ? code : switch (kind) {
            case SOFT -> "try_again_later";
            case SOFT_ONCE -> "generic_decline";
            case HARD -> "do_not_try_again";
            case ACTION_REQUIRED -> "confirm_card_data";
            case ASK_FIRST -> "duplicate_transaction";
        };
    }

    private static void put(DeclineKind kind, String... codes) {
        for (String code : codes) {
            BY_CODE.put(code, kind);
        }
    }
}
