// SPDX-License-Identifier: Apache-2.0
/**
 * Who is signed in: each with their own login at Postgres, and no other rights.
 * May know the console's answers.
 */
package io.chargeonce.console.session;
