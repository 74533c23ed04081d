// SPDX-License-Identifier: Apache-2.0
/** Seals bytes at rest, so that only a holder of the private key reads them. Knows settings; nothing of payments or the database. */
package io.chargeonce.vault;
