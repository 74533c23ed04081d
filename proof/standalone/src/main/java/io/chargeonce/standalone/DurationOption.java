// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import io.chargeonce.runtime.PipelineSettings;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A duration on the command line, in the form that settings have: {@code 250ms}, {@code 5s}, {@code 1m}. */
final class DurationOption implements ITypeConverter<Duration> {

    @Override
    public Duration convert(String text) {
        try {
            return PipelineSettings.TIERS.parse(text).getFirst();
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException("'" + text + "' is not a duration; write one like 250ms, 5s or 1m");
        }
    }
}
