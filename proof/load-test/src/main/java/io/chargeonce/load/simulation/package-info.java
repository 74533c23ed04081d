// SPDX-License-Identifier: Apache-2.0
/** Plays universes, seed by seed, and has the checker judge each: the outside of {@code io.chargeonce.load.universe}. */
package io.chargeonce.load.simulation;
