// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Picks the ports that the sandbox listens on: always on 127.0.0.1, never reachable from another machine. Any thread. */
final class LoopbackPort {
    static final String HOST = "127.0.0.1";

    private LoopbackPort() {}

    /** The wanted port if it is free, or any free one if 0 is wanted. Throws {@link IllegalStateException} if it is taken. */
    static int choose(String who, int wanted) {
        if (wanted < 0 || wanted > 65_535) {
            throw new IllegalArgumentException(who + " cannot listen on port " + wanted + "; choose one from 0 (any) to 65535");
        }
        try (ServerSocket probe = new ServerSocket(wanted, 1, InetAddress.getByName(HOST))) {
            return probe.getLocalPort();
        } catch (IOException taken) {
            throw new IllegalStateException(who + " cannot listen on " + HOST + ":" + wanted + " (" + taken.getMessage()
                    + "); stop what is using the port or choose another", taken);
        }
    }

    /** Any free port but {@code chosen}, on which its own server does not listen yet. */
    static int chooseBeside(String who, int chosen) {
        int port = choose(who, 0);
        while (port == chosen) {
            port = choose(who, 0);
        }
        return port;
    }
}
