// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

/** Where payments stand right now, in figures; for watching, not for judging. */
public record OpenCounts(long inTiers, long unresolved, long dead) {}
