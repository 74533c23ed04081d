// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.game.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a fault by its tag. */
final class FaultTag implements ITypeConverter<Fault> {

    /** The tags that there are. */
    static final class All extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        All() {
            super(tags());
        }
    }

    private static List<String> tags() {
        return Arrays.stream(Fault.values()).map(Fault::tag).toList();
    }

    @Override
    public Fault convert(String tag) {
        return Arrays.stream(Fault.values()).filter(fault -> fault.tag().equals(tag)).findFirst()
                .orElseThrow(
                        () -> new TypeConversionException("no such fault: '%s'; there are %s".formatted(tag, String.join(", ", tags()))));
    }
}
