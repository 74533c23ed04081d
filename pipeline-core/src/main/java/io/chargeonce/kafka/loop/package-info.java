// SPDX-License-Identifier: Apache-2.0
/** The record loop: reads partitions, hands records to workers in key order, commits what is finished. Knows nothing of payments. */
package io.chargeonce.kafka.loop;
