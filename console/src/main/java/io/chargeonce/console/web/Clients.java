// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import io.chargeonce.text.AddressRange;
import io.chargeonce.text.IpNumber;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Where a request comes from: the address of the connection, or what a named proxy says in the last part of X-Forwarded-For, which it adds
 * itself. The parts before it, and the header Forwarded, may be the client's own words, because proxies pass them on.
 *
 * @param proxies whose word is taken; empty takes no one's
 */
record Clients(List<AddressRange> proxies) {

    private static final HeaderName FORWARDED_FOR = HeaderNames.create("X-Forwarded-For");

    InetAddress of(ServerRequest request) {
        InetAddress peer = request.remotePeer().address() instanceof InetSocketAddress socket && !socket.isUnresolved()
                ? socket.getAddress() : InetAddress.getLoopbackAddress();
        return of(peer, request.headers().all(FORWARDED_FOR, List::of));
    }

    /** @param forwardedFor the header's values, as many as were sent */
    InetAddress of(InetAddress peer, List<String> forwardedFor) {
        String[] parts = String.join(",", forwardedFor).split(",", -1);
        InetAddress client = peer;
        for (int part = parts.length - 1; part >= 0 && isProxy(client); part--) {
            Optional<InetAddress> before = IpNumber.parse(parts[part].strip());
            if (before.isEmpty()) {
                return client;
            }
            client = before.get();
        }
        return client;
    }

    private boolean isProxy(InetAddress address) {
        return proxies.stream().anyMatch(range -> range.holds(address));
    }
}
