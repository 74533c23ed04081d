// SPDX-License-Identifier: Apache-2.0
/** The commands about webhooks. */
package io.chargeonce.notifications.webhook.terminal;
