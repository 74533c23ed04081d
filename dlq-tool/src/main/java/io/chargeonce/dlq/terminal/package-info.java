/** The dead-letter queue's commands, and how they look on a terminal. */
package io.chargeonce.dlq.terminal;
