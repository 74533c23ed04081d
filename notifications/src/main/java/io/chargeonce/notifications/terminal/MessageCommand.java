// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.terminal;

import io.chargeonce.terminal.Screen;
import io.chargeonce.wire.PaymentJson;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** One command of those that {@code P} has. */
public abstract class MessageCommand<P> implements Callable<Integer> {

    public static final int NO = 1;
    public static final int USAGE = 2;

    @ParentCommand
    protected P parent;

    @Spec
    protected CommandSpec spec;

    public final int say(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
        return 0;
    }

    public final int say(Map<String, Object> object) {
        return say(new String(PaymentJson.write(object), StandardCharsets.UTF_8));
    }

    public final int refuse(int exit, String why) {
        Screen.tell(spec, why);
        return exit;
    }

    protected final ParameterException wrong(String why) {
        return new ParameterException(spec.commandLine(), why);
    }
}
