// SPDX-License-Identifier: Apache-2.0
/**
 * Campaigns: services as processes of their own over one broker and one Postgres, load, faults, healing, and the books at the
 * end. Start reading at {@link io.chargeonce.load.chaos.Campaign}.
 */
package io.chargeonce.load.chaos;
