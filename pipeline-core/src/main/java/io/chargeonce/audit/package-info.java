// SPDX-License-Identifier: Apache-2.0
/** Seals on the audit log, and whether they still hold. Knows the database, what travels, and settings; nothing of payments. */
package io.chargeonce.audit;
