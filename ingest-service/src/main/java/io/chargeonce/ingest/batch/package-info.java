// SPDX-License-Identifier: Apache-2.0
/**
 * Many payments in one request: lines in, one answer a line out, in their order.
 * Knows how one payment is accepted, and how merchants are let in again for each line.
 */
package io.chargeonce.ingest.batch;
