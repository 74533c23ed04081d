package io.chargeonce.load.plant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PlantTest {

    /** A renamed method would make a bug vanish, and with it what it proves about the checker. */
    @ParameterizedTest
    @EnumSource(Plant.class)
    void the_place_of_each_bug_is_there(Plant plant) throws ReflectiveOperationException {
        for (Plant.Change change : plant.changes()) {
            List<String> methods = Arrays.stream(Class.forName(change.type(), false, getClass().getClassLoader()).getDeclaredMethods())
                    .map(method -> method.getName()).toList();
            assertThat(methods).as(change.type()).contains(change.method());
        }
        assertThat(Plant.fromTag(plant.tag())).isEqualTo(plant);
    }
}
