// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.plant.Plant;
import java.util.function.Predicate;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A planted bug by its name, for a command at whose level it shows. */
final class PlantTag {

    private PlantTag() {}

    private static Plant find(String tag, Predicate<Plant> shows, String elsewhere) {
        try {
            Plant plant = Plant.fromTag(tag);
            if (!shows.test(plant)) {
                throw new TypeConversionException("'%s' does not show here; %s".formatted(tag, elsewhere.formatted(tag)));
            }
            return plant;
        } catch (IllegalArgumentException unknown) {
            throw new TypeConversionException(unknown.getMessage());
        }
    }

    static final class InCampaigns implements ITypeConverter<Plant> {
        @Override
        public Plant convert(String tag) {
            return find(tag, plant -> plant.shows().campaigns(), "try it with: chargeonce load simulate --plant %s");
        }
    }

    static final class InSimulation implements ITypeConverter<Plant> {
        @Override
        public Plant convert(String tag) {
            return find(tag, plant -> plant.shows().simulation(), "try it with: chargeonce load chaos --plant %s");
        }
    }
}
