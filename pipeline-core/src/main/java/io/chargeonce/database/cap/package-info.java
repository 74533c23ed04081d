// SPDX-License-Identifier: Apache-2.0
/**
 * One limit for many pools of connections.
 * May know nothing else of ours.
 */
package io.chargeonce.database.cap;
