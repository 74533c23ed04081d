// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import io.chargeonce.text.Cut;

/**
 * Our account at a bank.
 *
 * @param schemeId the identifier under which we debit accounts
 */
public record Creditor(String name, String iban, String bic, String schemeId) {

    public Creditor {
        if (name.isBlank() || Cut.isLonger(name, 70) || !Debtor.isIban(iban) || !bic.matches("[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?")
                || !schemeId.matches("[A-Za-z0-9]{8,35}")) {
            throw new IllegalArgumentException(
                    "our account needs a name of at most 70 characters, an IBAN, a BIC, and a creditor identifier of 8 to 35 letters "
                            + "and digits");
        }
    }
}
