// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Addresses with a beginning in common, as in {@code 192.0.2.0/24} or {@code 2001:db8::/32}.
 *
 * @param prefix the bits that count, from the left
 */
public record AddressRange(InetAddress first, int prefix) {

    /** @throws IllegalArgumentException if it is not such a range; a host name is not */
    public static AddressRange parse(String text) {
        String[] parts = text.split("/", -1);
        InetAddress address = IpNumber.parse(parts[0]).orElseThrow(() -> wrong(text));
        int bits = address.getAddress().length * Byte.SIZE;
        if (parts.length > 2 || parts.length == 2 && !parts[1].matches("0|[1-9][0-9]{0,2}")) {
            throw wrong(text);
        }
        int prefix = parts.length == 1 ? bits : Integer.parseInt(parts[1]);
        if (prefix > bits) {
            throw wrong(text);
        }
        try {
            return new AddressRange(InetAddress.getByAddress(beginning(address.getAddress(), prefix)), prefix);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("Bug! " + bits + " bits are no address", e);
        }
    }

    private static IllegalArgumentException wrong(String text) {
        return new IllegalArgumentException("'" + text + "' is not a range of addresses such as 192.0.2.0/24 or 2001:db8::/32; "
                + "an IPv4 address has four decimal parts");
    }

    public boolean holds(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == first.getAddress().length && Arrays.equals(beginning(bytes, prefix), first.getAddress());
    }

    private static byte[] beginning(byte[] address, int prefix) {
        byte[] beginning = address.clone();
        for (int bit = prefix; bit < beginning.length * 8; bit++) {
            beginning[bit / 8] &= (byte) ~(0x80 >> bit % 8);
        }
        return beginning;
    }

    @Override
    public String toString() {
        return first.getHostAddress() + "/" + prefix;
    }
}
