// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.plant;

import net.bytebuddy.dynamic.DynamicType;

/** What is written into the services' classes before they are loaded. */
public interface Weaving {

    boolean changes(String type);

    /** Writes what it changes in that type. */
    DynamicType.Builder<?> into(DynamicType.Builder<?> builder, String type);
}
