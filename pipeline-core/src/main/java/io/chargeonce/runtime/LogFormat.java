// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

/** How log lines look: for eyes, or one JSON object a line for whatever collects them. */
public enum LogFormat {
    TEXT, JSON;

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
