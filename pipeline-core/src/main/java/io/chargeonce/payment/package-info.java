// SPDX-License-Identifier: Apache-2.0
/** What a payment is and what may happen to it. Pure: no clock, no I/O, nothing but {@code java.base}. */
package io.chargeonce.payment;
