// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.receipts;

import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.IDN;
import java.util.Optional;

/** One mailbox. Never a list, a group or a name beside the address, so that no text adds a recipient or a header. */
record Recipient(InternetAddress address) {

    private static final int LONGEST = 254;

    /** Empty if it is no single address, or its mailbox has a name that SMTP without extensions cannot say. */
    static Optional<Recipient> of(String text) {
        String bare = text.strip();
        int at = bare.lastIndexOf('@');
        boolean printable = bare.chars().limit(Math.max(at, 0)).allMatch(c -> c > ' ' && c < 0x7f);
        if (at < 1 || !printable || bare.substring(0, at).matches(".*[\\s,;:<>()\"\\\\\\[\\]].*")) {
            return Optional.empty();
        }
        try {
            String ascii = bare.substring(0, at) + "@" + IDN.toASCII(bare.substring(at + 1), IDN.USE_STD3_ASCII_RULES);
            var address = new InternetAddress(ascii, true);
            return ascii.length() <= LONGEST && ascii.equals(address.getAddress()) && !address.isGroup()
                    ? Optional.of(new Recipient(address)) : Optional.empty();
        } catch (AddressException | IllegalArgumentException notOne) {
            return Optional.empty();
        }
    }
}
