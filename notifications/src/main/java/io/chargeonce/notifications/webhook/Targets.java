// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.endpoints.EndpointAddress;
import io.chargeonce.endpoints.PublicAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Set;
import org.apache.hc.client5.http.DnsResolver;

/**
 * Where requests may go. The HTTP client asks it for the addresses of each new connection and connects to exactly what it returns: so the
 * addresses that were checked are those that are used. Any thread.
 */
final class Targets implements DnsResolver {

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

    private final EndpointAddress rules;
    private final Names names;

    /** @param allowedHosts names that may have any address, in lower case */
    Targets(Set<String> allowedHosts) {
        this(allowedHosts, Targets::lookUp);
    }

    Targets(Set<String> allowedHosts, Names names) {
        this.rules = new EndpointAddress(allowedHosts);
        this.names = names;
    }

    /** Asks the system's resolver. A simulation has another in its place. */
    static InetAddress[] lookUp(String host) throws UnknownHostException {
        return InetAddress.getAllByName(host);
    }

    /** @throws IllegalArgumentException saying what is wrong with it */
    URI checked(String url) {
        return rules.checked(url);
    }

    /**
     * An address of this machine. Plain http leaves it never.
     *
     * @throws Forbidden if the name leads elsewhere too
     */
    InetAddress onThisMachine(String host) throws UnknownHostException {
        InetAddress[] addresses = names.addressesOf(EndpointAddress.hostOf(host));
        if (!Arrays.stream(addresses).allMatch(InetAddress::isLoopbackAddress)) {
            throw new Forbidden("http may not leave this machine");
        }
        return addresses[0];
    }

    /** @throws Forbidden if any of the name's addresses is forbidden */
    @Override
    public InetAddress[] resolve(String host) throws UnknownHostException {
        String name = EndpointAddress.hostOf(host);
        InetAddress[] addresses = names.addressesOf(name);
        if (!rules.allowedHosts().contains(name)) {
            for (InetAddress address : addresses) {
                if (!PublicAddress.is(address)) {
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
}
