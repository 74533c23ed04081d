// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

class TypeScriptReceiverTest extends ReceiverContract {

    private static final Path FOLDER = ReceiverProcess.EXAMPLES.resolve("typescript");

    @Override
    Receiver start(int port, List<String> secrets) throws IOException {
        assumeTrue(Files.exists(FOLDER.resolve("dist/receiver.js")) && ReceiverProcess.answers("node", "--version"),
                "examples/typescript is not built, or there is no node: see examples/README.md");
        String url = shop.replaceFirst("jdbc:postgresql://", "postgres://postgres@").replaceFirst("\\?.*", "");
        return ReceiverProcess.start(FOLDER, port, secrets, Map.of("DATABASE_URL", url), this::keptInShop, "node", "dist/receiver.js");
    }
}
