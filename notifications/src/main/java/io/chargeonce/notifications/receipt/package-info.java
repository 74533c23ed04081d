// SPDX-License-Identifier: Apache-2.0
/**
 * Receipts to customers, by mail: docs/receipts.md. What gets a receipt comes from Kafka, what it says from Postgres, and the address only
 * just before it is sent. Knows no PSP, no webhook, and changes no payment.
 */
package io.chargeonce.notifications.receipt;
