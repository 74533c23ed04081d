// SPDX-License-Identifier: Apache-2.0
/** Finds due operations and stages them again: sweeps, representments, ended purges. */
package io.chargeonce.charge.due;
