// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The unit by which limits count clients: an IPv4 address, or the /64 network of an IPv6 address, because its owner has all of those
 * addresses. Compared by its name. Immutable.
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
            throw new IllegalStateException("Bug! " + address.length + " bytes are no address", impossible);
        }
    }

    /** The same for a connection's peer; a peer that is no internet address counts alone. */
    public static ClientNetwork of(SocketAddress peer) {
        return peer instanceof InetSocketAddress socket && !socket.isUnresolved() ? of(socket.getAddress())
                : new ClientNetwork(peer.toString());
    }
}
