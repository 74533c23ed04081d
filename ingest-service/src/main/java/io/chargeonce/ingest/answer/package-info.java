// SPDX-License-Identifier: Apache-2.0
/**
 * What a request is answered with, whichever way it came: answers, problems, and how both are counted.
 * Knows payments and no other room.
 */
package io.chargeonce.ingest.answer;
