// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.input;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

/** Times as people write them: 2026-11-22T10:00Z, 2026-11-22T11:00+01:00, or 2026-11-22 for midnight UTC. */
final class Times {

    private Times() {}

    static Optional<Instant> parse(String text) {
        try {
            return Optional.of(text.indexOf('T') < 0 ? LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant()
                    : OffsetDateTime.parse(text).toInstant());
        } catch (DateTimeException notATime) {
            return Optional.empty();
        }
    }
}
