// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

/** The format of log lines: text for people, or one JSON object per line, in the Elastic Common Schema, for log collectors. */
public enum LogFormat {
    TEXT, JSON;

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
