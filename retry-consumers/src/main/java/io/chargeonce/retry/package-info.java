// SPDX-License-Identifier: Apache-2.0
/** The retry tiers: one loop per delayed topic, each of which hands its records to the handler of the charge consumer. */
package io.chargeonce.retry;
