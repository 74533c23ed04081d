// SPDX-License-Identifier: Apache-2.0
/** Seals the audit log and checks the seals. Knows the database, the wire formats and settings; nothing of payments. */
package io.chargeonce.audit;
