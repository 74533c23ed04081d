// SPDX-License-Identifier: Apache-2.0
/**
 * Settings that decide about the rows of all processes and must be the same in each: they stand in the database.
 * May know the database and nothing else of ours.
 */
package io.chargeonce.database.agreed;
