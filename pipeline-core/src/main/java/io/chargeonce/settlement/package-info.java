// SPDX-License-Identifier: Apache-2.0
/**
 * What PSPs and banks say that they booked: the lines of settlement reports, their marks, and their table; and banks' files, as people see
 * them. Knows payments and the database, and no format of a report.
 */
package io.chargeonce.settlement;
