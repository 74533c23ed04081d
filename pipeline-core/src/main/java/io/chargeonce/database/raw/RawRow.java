// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.raw;

import java.util.Optional;

/**
 * Another system's record, to publish with its own bytes once its transaction has committed.
 *
 * @param letter  its dead letter's id, which goes along as the header {@link #LETTER}
 * @param key     null if it has none
 * @param value   empty for a tombstone
 * @param headers as {@link HeaderBytes} has them
 */
public record RawRow(String topic, String letter, byte[] key, Optional<byte[]> value, byte[] headers) {

    /** A receiver that gets the same letter twice got the same record twice. */
    public static final String LETTER = "chargeonce-dead-letter";
}
