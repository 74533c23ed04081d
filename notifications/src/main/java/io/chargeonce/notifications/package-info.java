// SPDX-License-Identifier: Apache-2.0
/** What all senders of messages to the outside have in common. It knows neither what they send nor how. */
package io.chargeonce.notifications;
