// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.util.Map;

/** The server's settings: durable first (the embedded server's own defaults are not), then sized for two cores. */
final class PostgresSettings {
    static final Map<String, String> DURABLE_AND_SMALL = Map.ofEntries(
            Map.entry("fsync", "on"),
            Map.entry("synchronous_commit", "on"),
            Map.entry("full_page_writes", "on"),
            Map.entry("max_connections", "200"),
            Map.entry("shared_buffers", "256MB"),
            Map.entry("max_wal_size", "2GB"),
            Map.entry("checkpoint_completion_target", "0.9"),
            Map.entry("random_page_cost", "1.1"),
            Map.entry("jit", "off"),
            Map.entry("timezone", "UTC"));

    private PostgresSettings() {}
}
