// SPDX-License-Identifier: Apache-2.0
/** The dead-letter queue's commands, as processes with a small heap, over a full queue. */
package io.chargeonce.bench.dlq;
