// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Commands of a module that {@code app} does not know, because they do not ship. {@link java.util.ServiceLoader} finds it on the
 * classpath.
 */
public interface CommandProvider {

    /** By name, in the order of the help. Only the command that is called is made. */
    Map<String, Supplier<CommandLine>> commands();

    /** Whether this error of its commands means that something cannot be reached: exit code 3. */
    default boolean isOutage(Throwable error) {
        return false;
    }
}
