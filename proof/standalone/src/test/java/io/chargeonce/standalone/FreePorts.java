// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Ports of this machine that nothing listens on. */
public final class FreePorts {

    private FreePorts() {}

    /** One for each port of {@code up}, by the name of its option without {@code --} and {@code -port}. */
    public static Map<String, Integer> ofUp() throws IOException {
        return of(CommandLine.Model.CommandSpec.forAnnotatedObject(new Ports()).options().stream().map(OptionSpec::longestName)
                .map(option -> option.substring("--".length(), option.length() - "-port".length())).toList());
    }

    /** One for each name, all different: each is kept until all are found, because the system gives a port that was given back again. */
    private static Map<String, Integer> of(List<String> names) throws IOException {
        var kept = new ArrayList<ServerSocket>();
        try {
            var ports = new HashMap<String, Integer>();
            for (String name : names) {
                var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                kept.add(socket);
                ports.put(name, socket.getLocalPort());
            }
            return ports;
        } finally {
            for (ServerSocket socket : kept) {
                socket.close();
            }
        }
    }
}
