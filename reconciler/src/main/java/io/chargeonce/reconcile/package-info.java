// SPDX-License-Identifier: Apache-2.0
/**
 * Compares what PSPs and banks booked with what our attempts moved. Records the lines of reports and what a comparison found; decides
 * nothing about money. Knows the settlement lines' table, attempts and operations.
 */
package io.chargeonce.reconcile;
