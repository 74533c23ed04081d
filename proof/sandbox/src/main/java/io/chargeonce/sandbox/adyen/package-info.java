// SPDX-License-Identifier: Apache-2.0
/** A simulator of Adyen's Checkout API v71: cards, modifications that end later, signed webhooks. It knows no class of the product. */
package io.chargeonce.sandbox.adyen;
