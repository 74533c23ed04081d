// SPDX-License-Identifier: Apache-2.0
/** The relay bench: rows a second from the outbox to the broker, and the delay of one. */
package io.chargeonce.bench.relay;
