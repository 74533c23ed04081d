// SPDX-License-Identifier: Apache-2.0
/** ISO 20022 messages: pain.008 and pain.001 written, pain.002, camt.053 and camt.054 read, item by item. Knows neither rows nor banks. */
package io.chargeonce.bank.xml;
