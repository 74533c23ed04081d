// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

/** In which order dead letters are listed. */
public enum Order {
    NEWEST_FIRST,
    OLDEST_FIRST,
    /** By minor units, whatever the currency. */
    LARGEST_FIRST
}
