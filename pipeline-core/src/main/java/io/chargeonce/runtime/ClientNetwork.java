// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * What limits for each client count by: an IPv4 address, or the /64 that an IPv6 address is in, for whoever has one of these has all
 * of them. Compared by its name. Immutable.
 *
 * @param name such as {@code 192.0.2.1} or {@code 2001:db8:0:1:0:0:0:0/64}
 */
public record ClientNetwork(String name) {

    private static final int BYTES = 8;

    public static ClientNetwork of(InetAddress client) {
        byte[] address = client.getAddress();
        if (address.length <= BYTES) {
            return new ClientNetwork(client.getHostAddress());
        }
        Arrays.fill(address, BYTES, address.length, (byte) 0);
        try {
            return new ClientNetwork(InetAddress.getByAddress(address).getHostAddress() + "/" + BYTES * Byte.SIZE);
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("Bug! An address of " + address.length + " bytes is none", impossible);
        }
    }

    /** The same of a connection's other end; what is no address of the internet counts by itself. */
    public static ClientNetwork of(SocketAddress peer) {
        return peer instanceof InetSocketAddress socket && !socket.isUnresolved() ? of(socket.getAddress())
                : new ClientNetwork(peer.toString());
    }
}
