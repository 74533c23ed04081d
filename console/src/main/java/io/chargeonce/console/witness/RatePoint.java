// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import java.time.Instant;
import java.util.Map;

/**
 * What happened in one slice of a window.
 *
 * @param at    the beginning of the slice
 * @param key   the cause, PSP, merchant or tier; {@code other} for those beyond the largest number of keys
 * @param money what succeeded and failed together, by currency, in minor units
 */
public record RatePoint(Instant at, String key, long succeeded, long failed, Map<String, Long> money) {}
