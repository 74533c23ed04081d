// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A free port below those that the system gives to outgoing connections. While a server is down, an outgoing connection may take any
 * port above those: even its own client may get the port that it tries to reach, and connect to itself.
 */
final class LowPort {

    private static final int LOWEST = 12_000;
    private static final int HIGHEST = 32_000;
    private static final int TRIES = 100;

    private LowPort() {}

    static int free() {
        for (int i = 0; i < TRIES; i++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("of %d ports tried between %d and %d none is free".formatted(TRIES, LOWEST, HIGHEST));
    }

    private static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.isBound();
        } catch (IOException inUse) {
            return false;
        }
    }
}
