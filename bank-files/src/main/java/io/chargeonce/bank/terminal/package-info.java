// SPDX-License-Identifier: Apache-2.0
/** The commands about bank files and mandates. */
package io.chargeonce.bank.terminal;
