// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import io.chargeonce.text.Cut;
import java.math.BigInteger;
import java.util.Locale;
import java.util.Optional;

/**
 * Who pays, as a mandate names the account.
 *
 * @param bic of the account's bank; within SEPA it may be left out
 */
public record Debtor(String name, String iban, Optional<String> bic) {

    private static final BigInteger IBAN_MODULUS = BigInteger.valueOf(97);

    public Debtor {
        if (name.isBlank() || Cut.isLonger(name, 70)) {
            throw new IllegalArgumentException("the account's holder has a name of 1 to 70 characters");
        }
        iban = iban.replaceAll("[\\s\\p{Z}]", "").toUpperCase(Locale.ROOT);
        if (!isIban(iban)) {
            throw new IllegalArgumentException("this is no IBAN: its check digits are wrong, or it has another form");
        }
        if (bic.filter(code -> !code.matches("[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?")).isPresent()) {
            throw new IllegalArgumentException("a BIC is 8 or 11 capital letters and digits");
        }
    }

    /** ISO 13616. */
    public static boolean isIban(String text) {
        if (!text.matches("[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")) {
            return false;
        }
        var digits = new StringBuilder();
        (text.substring(4) + text.substring(0, 4)).chars().forEach(each -> digits.append(Character.digit(each, 36)));
        return new BigInteger(digits.toString()).mod(IBAN_MODULUS).intValue() == 1;
    }

    /** Leaves the account out. */
    @Override
    public String toString() {
        return "Debtor";
    }
}
