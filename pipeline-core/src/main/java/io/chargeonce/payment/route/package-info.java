// SPDX-License-Identifier: Apache-2.0
/** Which PSPs a payment may go to, by the rules of CHARGEONCE_ROUTES. Pure, as {@link io.chargeonce.payment}. */
package io.chargeonce.payment.route;
