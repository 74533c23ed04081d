/** The commands about merchants and their tokens. */
package io.chargeonce.ingest.terminal;
