// SPDX-License-Identifier: Apache-2.0
/** Webhooks to merchants, while some of their receivers hang. */
package io.chargeonce.bench.deliveries;
