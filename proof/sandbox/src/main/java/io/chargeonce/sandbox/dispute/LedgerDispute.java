// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.dispute;

import java.util.Map;

/**
 * A dispute as a PSP's ledger has it.
 *
 * @param payment  the PSP's id of the disputed payment
 * @param currency in lower case, as in movements
 * @param value    the disputed amount as a decimal number of the currency, by the PSP's own table: {@code 12.99}
 * @param stage    {@code inquiry}, {@code opened}, {@code won} or {@code lost}
 * @param funds    {@code not_taken}, {@code taken} or {@code returned}
 */
public record LedgerDispute(String id, String payment, Map<String, String> metadata, long amount, String currency, String value,
        String stage, String funds) {

    public LedgerDispute {
        metadata = Map.copyOf(metadata);
    }
}
