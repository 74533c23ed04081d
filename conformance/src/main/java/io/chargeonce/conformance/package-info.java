/** What an Idempotency-Key promises, tried on any server from outside. Knows nothing of the rest. */
package io.chargeonce.conformance;
