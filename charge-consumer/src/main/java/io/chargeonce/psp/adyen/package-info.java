// SPDX-License-Identifier: Apache-2.0
/** Adyen, through its own Java client over {@code java.net.http}. */
package io.chargeonce.psp.adyen;
