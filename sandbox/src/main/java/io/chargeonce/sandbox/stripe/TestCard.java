// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.stripe;

/** A payment method of test mode. */
record TestCard(String name, String brand, String lastFour, String funding, CardOutcome outcome) {}
