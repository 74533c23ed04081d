// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.options;

import picocli.CommandLine.Option;

/** The options that every command has. */
public final class CommonOptions {

    @Option(names = {"-h", "--help"}, usageHelp = true, description = "Show this help.")
    boolean help;

    @Option(names = "--json", description = "Print JSON, one object per line.")
    public boolean json;
}
