// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Which addresses belong to the public internet. */
public final class PublicAddress {

    /**
     * What is not globally reachable by IANA's registries of special-purpose addresses, multicast, and the prefixes that carry an IPv4
     * address in an IPv6 one: translated on the way, such an address reaches any IPv4 host.
     */
    private static final List<Block> NOT_PUBLIC = Stream.of(
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
            "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24",
            // Azure's own services, at an address that looks public.
            "168.63.129.16/32", "224.0.0.0/4", "240.0.0.0/4",
            // All but the global unicast addresses, 2000::/3: ::1, ::ffff:0:0/96, 64:ff9b::/96, fc00::/7, fe80::/10, ff00::/8 and the rest.
            "::/3", "4000::/2", "8000::/1",
            "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")
            .map(Block::parse).toList();

    private record Block(byte[] prefix, int bits) {

        static Block parse(String text) {
            int slash = text.indexOf('/');
            try {
                return new Block(InetAddress.getByName(text.substring(0, slash)).getAddress(),
                        Integer.parseInt(text.substring(slash + 1)));
            } catch (UnknownHostException bug) {
                throw new IllegalStateException("Bug! No address: " + text, bug);
            }
        }

        boolean contains(byte[] address) {
            if (address.length != prefix.length) {
                return false;
            }
            int whole = bits / 8;
            if (!Arrays.equals(address, 0, whole, prefix, 0, whole)) {
                return false;
            }
            int rest = bits % 8;
            int mask = rest == 0 ? 0 : 0xff << (8 - rest);
            return rest == 0 || (address[whole] & mask) == (prefix[whole] & mask);
        }
    }

    private PublicAddress() {}

    public static boolean is(InetAddress address) {
        // Java itself turns ::ffff:0:0/96 into IPv4 addresses. A scope such as %eth0 belongs to a link-local address.
        return !address.isAnyLocalAddress() && !address.isLoopbackAddress() && !address.isMulticastAddress()
                && !(address instanceof Inet6Address six && six.getScopeId() != 0)
                && NOT_PUBLIC.stream().noneMatch(block -> block.contains(address.getAddress()));
    }
}
