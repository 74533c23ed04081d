// SPDX-License-Identifier: Apache-2.0
/** Payment service providers: the port that a gateway implements, and the choice among healthy ones. */
package io.chargeonce.psp;
