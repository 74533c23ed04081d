/** The dead-letter queue as people work on it: look, purge, merge. Knows nothing of terminals. */
package io.chargeonce.dlq;
