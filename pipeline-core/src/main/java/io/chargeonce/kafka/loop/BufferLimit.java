// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka.loop;

/**
 * How much of one partition is held in memory before the partition is paused. One more poll may come on top. Immutable.
 *
 * @param records       fetched and incomplete; at least 1
 * @param bytes         keys and values of these records together; at least 1
 * @param uncommittable offsets from the lowest incomplete one on, which are delivered again after a crash; at least {@code records}
 */
public record BufferLimit(int records, long bytes, int uncommittable) {
    public BufferLimit {
        if (records < 1 || bytes < 1 || uncommittable < records) {
            throw new IllegalArgumentException("A buffer of " + records + " records, " + bytes + " bytes and " + uncommittable
                    + " uncommittable offsets can't work: at least 1, 1, and as many offsets as records");
        }
    }

    /** The same with no more bytes than these. */
    BufferLimit within(long mostBytes) {
        return mostBytes < bytes ? new BufferLimit(records, mostBytes, uncommittable) : this;
    }

    /** Which limits were reached and have not fallen back to half. A paused partition resumes only then, so that it does not flap. */
    record Full(boolean inRecords, boolean inBytes, boolean inOffsets) {
        static final Full NO = new Full(false, false, false);

        boolean isReached() {
            return inRecords || inBytes || inOffsets;
        }
    }

    /**
     * Each limit is judged alone. What a slow merchant holds in bytes or offsets, below those limits, does not keep out the records of
     * others.
     */
    Full after(Full before, int heldRecords, long heldBytes, int heldOffsets) {
        return new Full(
                heldRecords >= records || before.inRecords && heldRecords > records / 2,
                heldBytes >= bytes || before.inBytes && heldBytes > bytes / 2,
                heldOffsets >= uncommittable || before.inOffsets && heldOffsets > uncommittable / 2);
    }
}
