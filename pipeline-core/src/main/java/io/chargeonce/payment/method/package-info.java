// SPDX-License-Identifier: Apache-2.0
/** What pays: a stored payment method, its token at each PSP, and which PSPs can be told. Pure, as {@link io.chargeonce.payment}. */
package io.chargeonce.payment.method;
