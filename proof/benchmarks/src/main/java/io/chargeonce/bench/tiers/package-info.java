// SPDX-License-Identifier: Apache-2.0
/** The tiers bench: how late a record leaves a retry tier, and what waiting costs. */
package io.chargeonce.bench.tiers;
