// SPDX-License-Identifier: Apache-2.0
/** What banks leave for us: fetched when it is complete, kept, read once, and its lines handed to charge. */
package io.chargeonce.bank.inbound;
