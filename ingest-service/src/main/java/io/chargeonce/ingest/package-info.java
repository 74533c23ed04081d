/** HTTP in: a payment request becomes one row, once, before anybody is told that it was accepted. */
package io.chargeonce.ingest;
