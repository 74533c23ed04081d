// SPDX-License-Identifier: Apache-2.0
/**
 * Whether a pooler between us and Postgres shares sessions.
 * May know nothing else of ours.
 */
package io.chargeonce.database.pooler;
