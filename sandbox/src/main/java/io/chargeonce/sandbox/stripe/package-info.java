// SPDX-License-Identifier: Apache-2.0
/** A simulator of Stripe: intents, captures, refunds, webhooks, its ledger, and the faults that a test asks for. It knows no class of the product. */
package io.chargeonce.sandbox.stripe;
