// SPDX-License-Identifier: Apache-2.0
/** The engine that moves money: route, claim, charge, decide, resolve. Start reading at {@link io.chargeonce.charge.ChargeHandler}. */
package io.chargeonce.charge;
