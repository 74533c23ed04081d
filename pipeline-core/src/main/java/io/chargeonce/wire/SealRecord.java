// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.Optional;

/**
 * The value on the topic of audit seals: a seal as it was made, where no one who owns the database can change it. Hashes are in
 * hexadecimal.
 *
 * @param seal       its number, from 1 without gaps
 * @param fromId     the first id of the range of audit records
 * @param toId       the last id of the range
 * @param rowsSha256 over the records in the order of their ids
 * @param previous   the mark of the seal before; the first has none
 * @param forgottenTo the last id that retention had taken away when it was made; without it, it tells of none
 * @param keyId      of the key that made the mark; without one the mark is a plain SHA-256
 * @param sealedAt   in UTC by Postgres's clock
 * @param mark       HMAC-SHA256 over all of the above
 */
public record SealRecord(String type, int version, long seal, long fromId, long toId, long records, String rowsSha256,
        Optional<String> previous, Optional<Long> forgottenTo, Optional<String> keyId, String sealedAt, String mark) {

    public static final String TYPE = "audit.seal";
    public static final int VERSION = 1;

    /** Its key on the topic, which keeps every record all the same. */
    public String key() {
        return "" + seal;
    }
}
