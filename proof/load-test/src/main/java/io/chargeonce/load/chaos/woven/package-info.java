// SPDX-License-Identifier: Apache-2.0
/**
 * What is written into the services' classes before a campaign's processes load them: crash points, clocks, a planted bug.
 * Knows plants, and nothing of campaigns. Start reading at {@link io.chargeonce.load.chaos.woven.Weaver}.
 */
package io.chargeonce.load.chaos.woven;
