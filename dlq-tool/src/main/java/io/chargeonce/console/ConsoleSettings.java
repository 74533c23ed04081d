// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import java.util.List;
import java.util.stream.Stream;

/** The settings of a console. Immutable. */
public record ConsoleSettings(PipelineSettings pipeline, WitnessSettings witness) {

    public static final List<Setting<?>> ALL =
            Stream.of(PipelineSettings.OF_SERVICE, WitnessSettings.ALL).<Setting<?>>flatMap(List::stream).toList();

    public static ConsoleSettings from(Settings settings) {
        return new ConsoleSettings(PipelineSettings.from(settings), WitnessSettings.from(settings));
    }
}
