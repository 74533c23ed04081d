// SPDX-License-Identifier: Apache-2.0
/** How a row can say which session of Postgres holds it. It knows no table. */
package io.chargeonce.database.mark;
