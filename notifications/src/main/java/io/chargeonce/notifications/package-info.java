// SPDX-License-Identifier: Apache-2.0
/**
 * What all senders of messages to the outside have in common: claims that end by themselves, tries, pauses between them, the record of each
 * try, and the process around it. It knows neither what a message says nor how it is sent: that is a channel's, in a package below.
 */
package io.chargeonce.notifications;
