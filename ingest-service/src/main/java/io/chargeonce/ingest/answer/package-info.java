// SPDX-License-Identifier: Apache-2.0
/**
 * Answers and problems, for every way in which a request can come, and how they are counted.
 * Knows payments and no other room.
 */
package io.chargeonce.ingest.answer;
