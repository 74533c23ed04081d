// SPDX-License-Identifier: Apache-2.0
/**
 * What a person gives to select dead letters or to limit a merge, at the terminal or on the console's page: read into filters and terms,
 * with all that is wrong with it at once.
 * May know the root, query, waiting and merge.
 */
package io.chargeonce.dlq.input;
