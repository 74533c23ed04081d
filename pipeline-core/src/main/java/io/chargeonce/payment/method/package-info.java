// SPDX-License-Identifier: Apache-2.0
/** What is charged: a stored payment method, its token at each PSP, and which PSPs can take it. Pure, as {@link io.chargeonce.payment}. */
package io.chargeonce.payment.method;
