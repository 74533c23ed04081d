// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.app;

import io.chargeonce.terminal.Screen;
import io.chargeonce.vault.DataKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

@Command(name = "data-key", mixinStandardHelpOptions = true, usageHelpAutoWidth = true,
        description = {"Makes the file of private keys that open sealed data, and FILE.public, which only seals.",
            "If the file exists, adds a key that seals from now on. Earlier keys stay, and open what they sealed.",
            "Give services FILE.public in CHARGEONCE_DATA_KEY_FILE, and give FILE itself to dlq show and dlq edit. Both are read again "
                    + "within seconds. Keep a copy of FILE elsewhere: without it, sealed data stays unreadable."},
        footer = {"", "Example:", "  chargeonce data-key /etc/chargeonce/data-key"})
final class DataKeyCommand implements Callable<Integer> {

    private static final int REFUSED = 2;

    @Spec
    CommandSpec spec;

    @Option(names = "--drop-old",
            description = "Adds no key, and removes all but the one that seals. What the others sealed can never be read again.")
    boolean dropOld;

    @Parameters(paramLabel = "FILE", description = "Where the private keys are, or will be.")
    Path file;

    @Override
    public Integer call() {
        try {
            if (dropOld) {
                spec.commandLine().getOut().printf(
                        "%,d old keys are gone from %s; what they sealed can be read only with a copy of them.%n",
                        DataKeys.dropOld(file), file);
                return 0;
            }
            int keys = DataKeys.add(file);
            spec.commandLine().getOut().printf("%s has %s, %s%s has the public %s. The newest seals from now on.%n", file,
                    keys == 1 ? "1 key" : keys + " keys", file, DataKeys.PUBLIC, keys == 1 ? "half" : "halves");
            return 0;
        } catch (IOException e) {
            return refuse("'%s' cannot be written (%s); nothing was changed".formatted(file, e));
        } catch (IllegalArgumentException notOurs) {
            return refuse(notOurs.getMessage());
        }
    }

    private int refuse(String why) {
        Screen.tell(spec, why);
        return REFUSED;
    }
}
