// SPDX-License-Identifier: Apache-2.0
/** Accounts at banks, and the properties files that describe them. */
package io.chargeonce.bank.account;
