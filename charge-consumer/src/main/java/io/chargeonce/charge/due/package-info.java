// SPDX-License-Identifier: Apache-2.0
/** Finds operations whose time has come and stages them again: sweeps, representments, ended purges. */
package io.chargeonce.charge.due;
