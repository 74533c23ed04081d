// SPDX-License-Identifier: Apache-2.0
/**
 * Payment service providers: the door by which each comes in, plugins too ({@link io.chargeonce.psp.PspProvider}), the port that a gateway
 * implements, and the choice among healthy ones.
 */
package io.chargeonce.psp;
