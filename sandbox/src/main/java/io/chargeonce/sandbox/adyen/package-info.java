// SPDX-License-Identifier: Apache-2.0
/** Adyen's Checkout API v71, simulated: cards, modifications that take their time, signed webhooks, true idempotency. */
package io.chargeonce.sandbox.adyen;
