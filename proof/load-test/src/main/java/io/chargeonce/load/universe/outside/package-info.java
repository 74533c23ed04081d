// SPDX-License-Identifier: Apache-2.0
/**
 * Models of what a pipeline meets outside beside its PSPs: a bank, a mail server, the receivers of webhooks.
 * Knows the kernel alone; the faults that strike them come from outside.
 */
package io.chargeonce.load.universe.outside;
