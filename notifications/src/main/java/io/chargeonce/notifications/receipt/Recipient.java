// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import com.ibm.icu.text.IDNA;
import io.chargeonce.text.IpNumber;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.util.Optional;

/** One mailbox. Never a list, a group or a name beside the address, so that no text adds a recipient or a header. */
record Recipient(InternetAddress address) {

    private static final int LONGEST = 254;
    /** IDNA 2008, as browsers and mail servers have it: straße.example is another domain than strasse.example. java.net.IDN is of 2003. */
    private static final IDNA DOMAINS = IDNA.getUTS46Instance(IDNA.NONTRANSITIONAL_TO_ASCII | IDNA.USE_STD3_RULES | IDNA.CHECK_BIDI
            | IDNA.CHECK_CONTEXTJ | IDNA.CHECK_CONTEXTO);

    /** Empty if it is no single address, or its mailbox has a name that SMTP without extensions cannot say. */
    static Optional<Recipient> of(String text) {
        String bare = text.strip();
        int at = bare.lastIndexOf('@');
        boolean printable = bare.chars().limit(Math.max(at, 0)).allMatch(c -> c > ' ' && c < 0x7f);
        if (at < 1 || !printable || bare.substring(0, at).matches(".*[\\s,;:<>()\"\\\\\\[\\]].*")) {
            return Optional.empty();
        }
        try {
            var faults = new IDNA.Info();
            String domain = DOMAINS.nameToASCII(bare.substring(at + 1), new StringBuilder(), faults).toString();
            String ascii = mailbox(bare.substring(0, at)) + "@" + domain;
            var address = new InternetAddress(ascii, true);
            boolean wrong = faults.getErrors().stream().anyMatch(fault -> fault != IDNA.Error.HYPHEN_3_4)
                    || IpNumber.isAmbiguous(domain) || IpNumber.parse(domain).isPresent();
            return !wrong && ascii.length() <= LONGEST && ascii.equals(address.getAddress()) && !address.isGroup()
                    ? Optional.of(new Recipient(address)) : Optional.empty();
        } catch (AddressException notOne) {
            return Optional.empty();
        }
    }

    /** Some providers once gave out names such as {@code abc.}, which RFC 5321 knows in quotes only. */
    private static String mailbox(String name) {
        return name.startsWith(".") || name.endsWith(".") || name.contains("..") ? '"' + name + '"' : name;
    }
}
