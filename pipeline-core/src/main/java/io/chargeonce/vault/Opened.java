// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.vault;

/** The result of opening sealed bytes. */
public sealed interface Opened {

    record Readable(byte[] bytes) implements Opened {}

    /** @param why for people: what is missing or wrong, and what to do */
    record Closed(String why) implements Opened {}
}
