// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.Optional;

/**
 * The value on the topic of audit seals: a copy of a seal that the database's owner cannot change. Hashes are in hexadecimal.
 *
 * @param seal       its number, from 1 without gaps
 * @param fromId     the first id of the range of audit records
 * @param toId       the last id of the range
 * @param rowsSha256 over the records in the order of their ids
 * @param previous   the mark of the previous seal; the first has none
 * @param forgottenTo the last id that retention had deleted when the seal was made; absent if it had deleted none
 * @param keyId      of the key that made the mark; without a key the mark is a plain SHA-256
 * @param sealedAt   in UTC by Postgres's clock
 * @param mark       HMAC-SHA256 over all of the above
 */
public record SealRecord(String type, int version, long seal, long fromId, long toId, long records, String rowsSha256,
        Optional<String> previous, Optional<Long> forgottenTo, Optional<String> keyId, String sealedAt, String mark) {

    public static final String TYPE = "audit.seal";
    public static final int VERSION = 1;

    /** Its key on the topic, which keeps every record. */
    public String key() {
        return "" + seal;
    }
}
