// SPDX-License-Identifier: Apache-2.0
/** How a process speaks to Postgres: transactions, coalesced statements, the outbox and its relay. Knows rows, not payments. */
package io.chargeonce.database;
