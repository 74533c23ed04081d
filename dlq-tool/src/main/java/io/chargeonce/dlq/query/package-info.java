// SPDX-License-Identifier: Apache-2.0
/**
 * What is in the queue: filters, lists, counts and groups, and which of them may be moved. Changes nothing.
 * May know the root only.
 */
package io.chargeonce.dlq.query;
