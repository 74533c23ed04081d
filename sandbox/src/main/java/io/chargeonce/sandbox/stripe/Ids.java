package io.chargeonce.sandbox.stripe;

import java.util.concurrent.ThreadLocalRandom;

/** Makes ids that look like Stripe's. They are random, so that a restart or a second simulator never repeats one. */
final class Ids {
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private Ids() {}

    static String next(String prefix, int length) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        StringBuilder id = new StringBuilder(prefix);
        for (int i = 0; i < length; i++) {
            id.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return id.toString();
    }
}
