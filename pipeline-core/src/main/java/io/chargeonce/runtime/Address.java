// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.chargeonce.text.IpNumber;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * An address to listen on or to connect to. Immutable.
 *
 * @param host a name or a number; an IPv6 number without its brackets
 * @param port 0 to 65535; 0 means any free port and makes sense only for listening
 */
public record Address(String host, int port) {

    /** Any port: it may be forwarded to another machine under another one. */
    private static final Pattern THIS_MACHINE = Pattern.compile("(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?");

    public Address {
        if (host.isBlank() || port < 0 || port > 65_535) {
            throw new IllegalArgumentException("An address needs a host and a port from 0 to 65535, not " + host + " and " + port);
        }
    }

    /** From {@code host:port} or {@code [host]:port}. */
    public static Address parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1 || !text.substring(colon + 1).matches("\\d{1,5}")) {
            throw new IllegalArgumentException("not host:port");
        }
        String host = text.substring(0, colon);
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (!bracketed && host.contains(":")) {
            throw new IllegalArgumentException("an IPv6 host needs brackets");
        }
        if (bracketed && (!host.contains(":") || IpNumber.parse(host.substring(1, host.length() - 1)).isEmpty())) {
            throw new IllegalArgumentException("brackets are around an IPv6 number");
        }
        if (IpNumber.isAmbiguous(host)) {
            throw new IllegalArgumentException("an IPv4 host has four decimal parts");
        }
        return new Address(bracketed ? host.substring(1, host.length() - 1) : host, Integer.parseInt(text.substring(colon + 1)));
    }

    /** Whether only this machine can reach it. Names are not resolved: only {@code localhost} and numbers count. */
    public boolean isLoopback() {
        return Exposure.isLoopback(host);
    }

    /**
     * Whether a request with this Host header was meant for a server at this address. On the loopback address it names this machine;
     * another name was made to lead here by its owner, and a page of theirs reads the answer (DNS rebinding).
     */
    public boolean isMeantBy(String hostHeader) {
        return !isLoopback() || THIS_MACHINE.matcher(hostHeader.toLowerCase(Locale.ROOT)).matches();
    }

    public InetSocketAddress resolve() {
        return new InetSocketAddress(host, port);
    }

    @Override
    public String toString() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
