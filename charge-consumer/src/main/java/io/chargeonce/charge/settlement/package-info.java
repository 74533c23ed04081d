// SPDX-License-Identifier: Apache-2.0
/** Looks at what settlement reports say that our rows do not, and settles it. Knows the rows of payments, and no report and no Kafka. */
package io.chargeonce.charge.settlement;
