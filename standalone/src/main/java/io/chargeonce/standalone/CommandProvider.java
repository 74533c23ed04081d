package io.chargeonce.standalone;

import picocli.CommandLine;

/** A command of a module that this one does not know; found on the classpath by {@link java.util.ServiceLoader}. */
public interface CommandProvider {
    CommandLine commandLine();
}
