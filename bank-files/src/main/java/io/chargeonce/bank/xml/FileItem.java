// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import java.time.LocalDate;

/**
 * One item of a file.
 *
 * @param instruction our payment, for the bank's people and ours
 * @param amount      in minor units
 */
public record FileItem(String endToEndId, String instruction, long amount, String currency, String mandate, LocalDate signedOn,
        Debtor debtor,
        String remittance) {}
