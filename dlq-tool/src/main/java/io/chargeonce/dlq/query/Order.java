// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

/** In which order dead letters are listed. */
public enum Order {
    NEWEST_FIRST,
    OLDEST_FIRST,
    /** By minor units, in any currency. */
    LARGEST_FIRST
}
