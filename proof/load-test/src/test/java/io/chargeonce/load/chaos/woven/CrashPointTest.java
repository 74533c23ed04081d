// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.woven;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CrashPointTest {

    @ParameterizedTest
    @EnumSource(CrashPoint.class)
    void the_place_of_each_crash_point_is_there(CrashPoint point) throws ReflectiveOperationException {
        assertThat(Arrays.stream(Class.forName(point.type, false, getClass().getClassLoader()).getDeclaredMethods()))
                .extracting(method -> method.getName()).contains(point.method);
    }
}
