// SPDX-License-Identifier: Apache-2.0
/**
 * Real receivers of webhooks, a real mail server behind a front that fails, and a merchant that writes to Kafka, beside the campaigns. It
 * knows nothing of the other faults.
 */
package io.chargeonce.load.chaos.outsiders;
