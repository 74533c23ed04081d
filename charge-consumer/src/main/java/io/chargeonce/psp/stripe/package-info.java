// SPDX-License-Identifier: Apache-2.0
/** Stripe, through its own Java client over {@code java.net.http}. */
package io.chargeonce.psp.stripe;
