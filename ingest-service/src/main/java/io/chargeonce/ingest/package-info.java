// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP in: a payment request becomes one row, once, before its acceptance is answered. Here are the service, its settings
 * and its routes, which put the rooms below together. No room knows this package.
 */
package io.chargeonce.ingest;
