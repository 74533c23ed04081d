// SPDX-License-Identifier: Apache-2.0
/** A simulator of Stripe: intents, charges, refunds, and what its API answers. It knows no class of the product. */
package io.chargeonce.sandbox.stripe;
