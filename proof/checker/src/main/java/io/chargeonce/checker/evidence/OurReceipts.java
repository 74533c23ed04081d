// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.time.Instant;

/**
 * Which receipts the pipeline must have mailed.
 *
 * @param since       of what succeeded earlier, others may have sent the receipts
 * @param allHaveCome whether each that is missing is lost; else one is lost once later ones are there
 */
public record OurReceipts(Instant since, boolean allHaveCome) {}
