// SPDX-License-Identifier: Apache-2.0
/** The commands about receipts. They know what is listed and sent again, and no mail server. */
package io.chargeonce.notifications.receipt.terminal;
