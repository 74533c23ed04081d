// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

/** The place of a record, as one word. */
final class Place {

    private Place() {}

    static String of(String topic, int partition, long offset) {
        return topic + "/" + partition + "/" + offset;
    }
}
