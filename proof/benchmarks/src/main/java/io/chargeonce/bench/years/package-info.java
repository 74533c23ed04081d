// SPDX-License-Identifier: Apache-2.0
/** What the tables cost after years: the same work on a database with millions of settled payments, and on one without. */
package io.chargeonce.bench.years;
