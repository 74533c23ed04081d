// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Where requests may go. The HTTP client asks it for the addresses of each new connection and connects to exactly what it returns: so the
 * addresses that were checked are those that are used. Any thread.
 */
public final class Targets implements DnsResolver {

    /** The name leads to an address that no request may go to. */
    static final class Forbidden extends UnknownHostException {

        private static final long serialVersionUID = 1;

        Forbidden(String message) {
            super(message);
        }
    }

    /** Looks up a name; the system's resolver, or that of a test. */
    interface Names {
        InetAddress[] addressesOf(String host) throws UnknownHostException;
    }

    /**
     * What is not globally reachable by IANA's registries of special-purpose addresses, multicast, and the prefixes that carry an IPv4
     * address in an IPv6 one: translated on the way, such an address reaches any IPv4 host.
     */
    private static final List<Block> FORBIDDEN = Stream.of(
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
            "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24",
            "203.0.113.0/24",
            // Azure's own services, at an address that looks public.
            "168.63.129.16/32", "224.0.0.0/4", "240.0.0.0/4",
            "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32",
            "2002::/16", "2620:4f:8000::/48", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")
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

    private final Set<String> allowedHosts;
    private final Names names;

    /** @param allowedHosts names that may have any address, in lower case */
    public Targets(Set<String> allowedHosts) {
        this(allowedHosts, InetAddress::getAllByName);
    }

    Targets(Set<String> allowedHosts, Names names) {
        this.allowedHosts = Set.copyOf(allowedHosts);
        this.names = names;
    }

    /**
     * The address of an endpoint, without asking for its name.
     *
     * @throws IllegalArgumentException saying what is wrong with it
     */
    public URI checked(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("is no address");
        }
        if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null || uri.getPort() == 0
                || uri.getPort() > 65_535) {
            throw new IllegalArgumentException("must be an address with a host and without a user, a password or a fragment");
        }
        boolean isAllowed = allowedHosts.contains(hostOf(uri.getHost()));
        if (!"https".equals(uri.getScheme()) && !("http".equals(uri.getScheme()) && isAllowed)) {
            throw new IllegalArgumentException("must be an https address; http is only for a host on this machine that "
                    + WebhookSettings.ALLOWED_HOSTS.name() + " names");
        }
        if (isNumber(uri.getHost()) && !isAllowed) {
            try {
                resolve(uri.getHost());
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(e.getMessage());
            }
        }
        return uri;
    }

    /** Names that contain a colon, or end in a digit, are numbers: no top-level domain does. */
    private static boolean isNumber(String host) {
        return host.indexOf(':') >= 0 || Character.isDigit(host.charAt(host.length() - 1));
    }

    /** Whether plain http would leave this machine. */
    boolean leavesThisMachine(String host) throws UnknownHostException {
        return !Arrays.stream(names.addressesOf(hostOf(host))).allMatch(InetAddress::isLoopbackAddress);
    }

    /** @throws Forbidden if any of the name's addresses is forbidden */
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        String name = hostOf(host);
        InetAddress[] addresses = names.addressesOf(name);
        if (!allowedHosts.contains(name)) {
            for (InetAddress address : addresses) {
                if (isForbidden(address)) {
                    throw new Forbidden("leads to %s, which is no public address".formatted(address.getHostAddress()));
                }
            }
        }
        return addresses;
    }

    @Override
    public String resolveCanonicalHostname(String host) {
        return host;
    }

    private static String hostOf(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        String lower = bare.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    static boolean isForbidden(InetAddress address) {
        // Java itself turns ::ffff:0:0/96 into IPv4 addresses. A scope such as %eth0 belongs to a link-local address.
        return address.isAnyLocalAddress() || address.isLoopbackAddress() || address.isMulticastAddress()
                || address instanceof Inet6Address six && six.getScopeId() != 0
                || FORBIDDEN.stream().anyMatch(block -> block.contains(address.getAddress()));
    }
}
