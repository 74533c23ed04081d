// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.xml;

import java.time.Instant;
import java.time.LocalDate;

/**
 * What a file says about all of its items.
 *
 * @param total in minor units
 */
public record FileHead(String messageId, Instant createdAt, int items, long total, String currency, LocalDate dueOn, Creditor creditor) {}
