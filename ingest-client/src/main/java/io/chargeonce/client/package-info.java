// SPDX-License-Identifier: Apache-2.0
/** Sends payments to Chargeonce's ingest service. Depends on no other module. */
package io.chargeonce.client;
