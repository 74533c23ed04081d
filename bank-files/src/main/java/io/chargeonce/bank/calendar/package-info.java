// SPDX-License-Identifier: Apache-2.0
/** When a bank takes files, and on which day it moves their money. Pure: knows neither clock nor rows. */
package io.chargeonce.bank.calendar;
