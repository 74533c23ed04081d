// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

/** What rates are counted by. */
public enum RateBy {
    CAUSE, PSP, MERCHANT, TIER
}
