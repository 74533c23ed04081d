// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

/** How many payments wait now, and where; for watching, not for judging. */
public record OpenCounts(long inTiers, long unresolved, long dead) {}
