// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;

/** An example of a receiver in a process of its own. */
record ReceiverProcess(Process process, String url, Callable<String> keeps) implements ReceiverContract.Receiver {

    static final Path EXAMPLES = Path.of("..", "examples").toAbsolutePath().normalize();

    /** Returns when it has said that webhooks may come. */
    static ReceiverProcess start(Path folder, int port, List<String> secrets, Map<String, String> more, Callable<String> keeps,
                                 String... command)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
        var settings = new HashMap<>(more);
        settings.put("PORT", "" + port);
        settings.put("WEBHOOK_SECRETS", String.join(",", secrets));
        builder.environment().putAll(settings);
        Process process = builder.start();
        BufferedReader says = process.inputReader(StandardCharsets.UTF_8);
        String first = Optional.ofNullable(says.readLine()).orElseThrow(() -> new IOException("the receiver has ended"));
        if (!first.startsWith("Webhooks may come to ")) {
            throw new IOException("the receiver says " + first);
        }
        return new ReceiverProcess(process, "http://localhost:%d/".formatted(port), keeps);
    }

    static boolean answers(String... command) {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                    .waitFor() == 0;
        } catch (IOException absent) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public String kept() throws Exception {
        return keeps.call();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor();
    }
}
