// SPDX-License-Identifier: Apache-2.0
/** What an Idempotency-Key promises, tried on any server from outside. Knows nothing of the rest. */
package io.chargeonce.conformance;
