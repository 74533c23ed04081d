/** Sends payments to Chargeonce's ingest service. Depends on no other module. */
package io.chargeonce.client;
