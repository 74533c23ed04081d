// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/** A process that opens connections, sends nothing on them, and holds them until it is ended. */
final class IdleClients {

    static final String READY = "all connected";

    private IdleClients() {}

    public static void main(String[] portAndCount) throws IOException {
        List<SocketChannel> idle = new ArrayList<>();
        var server = new InetSocketAddress("127.0.0.1", Integer.parseInt(portAndCount[0]));
        for (int i = 0; i < Integer.parseInt(portAndCount[1]); i++) {
            idle.add(SocketChannel.open(server));
        }
        System.out.println(READY);
        // Until it is ended, or the parent's end of the pipe is closed.
        while (System.in.read() >= 0 && !idle.isEmpty()) {
            continue;
        }
    }
}
