// SPDX-License-Identifier: Apache-2.0
/** What the commands about webhooks and those about receipts have in common. */
package io.chargeonce.notifications.terminal;
