// SPDX-License-Identifier: Apache-2.0
/** Our files on their way to a bank: sealed, rendered once, uploaded, renamed, each step written before and after it. */
package io.chargeonce.bank.outbound;
