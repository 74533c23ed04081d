// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.reconcile.terminal;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A time on the command line: a day in UTC, or a time with its zone. */
final class TimeOption implements ITypeConverter<Instant> {

    @Override
    public Instant convert(String text) {
        try {
            return text.contains("T") ? Instant.parse(text) : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeException e) {
            throw new TypeConversionException("'" + text + "' is no time; write one like 2026-11-01 or 2026-11-01T12:00:00Z");
        }
    }
}
