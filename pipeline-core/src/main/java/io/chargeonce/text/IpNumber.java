// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Reads the number of a network address in the one spelling that all programs read alike: four decimal parts, or the usual IPv6. Java
 * and others take 127.1 for 127.0.0.1, and 10.20.300 for 10.20.1.44; some take 010 for 8. Looks no name up. Any thread.
 */
public final class IpNumber {

    private static final Pattern IPV4 = Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");
    private static final Pattern IPV6 = Pattern.compile("(?=.*:)[0-9a-fA-F:]{2,39}");
    private static final Pattern NUMERIC = Pattern.compile("[0-9.]+");

    private IpNumber() {}

    /** Empty for a name, for another spelling, and for an IPv4 address within IPv6: a prefix would count other bits in it. */
    public static Optional<InetAddress> parse(String text) {
        boolean six = IPV6.matcher(text).matches();
        if (!six && !IPV4.matcher(text).matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(text)).filter(address -> six == address instanceof Inet6Address);
        } catch (UnknownHostException notOne) {
            return Optional.empty();
        }
    }

    /** Whether some programs would take it for an address, and others for another one. */
    public static boolean isAmbiguous(String host) {
        return NUMERIC.matcher(host).matches() && parse(host).isEmpty();
    }
}
