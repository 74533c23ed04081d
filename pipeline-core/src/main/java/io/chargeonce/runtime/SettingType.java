// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.util.function.Function;

/**
 * How a setting's text becomes a value. Immutable.
 *
 * @param allowed in words, what the text may be; it completes "must be …"
 * @param shown   false if the text may be a secret, put there by mistake, and must not be printed
 * @param parse   throws an {@link IllegalArgumentException} if the text is not allowed
 */
record SettingType<T>(String allowed, boolean shown, Function<String, T> parse) {

    SettingType(String allowed, Function<String, T> parse) {
        this(allowed, true, parse);
    }

    <U> SettingType<U> map(Function<T, U> function) {
        return new SettingType<>(allowed, shown, parse.andThen(function));
    }

    /** The same, with fewer values allowed. */
    SettingType<T> narrowedTo(String range, Function<T, Boolean> isAllowed) {
        return new SettingType<>(allowed + " " + range, shown, text -> {
            T value = parse.apply(text);
            if (!isAllowed.apply(value)) {
                throw new IllegalArgumentException("out of range");
            }
            return value;
        });
    }
}
