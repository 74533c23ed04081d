// SPDX-License-Identifier: Apache-2.0
/**
 * A pipeline and its PSPs, for the tests of a team that sends payments. It knows the services of a card payment, the sandbox and the
 * checker.
 */
package io.chargeonce.testkit;
