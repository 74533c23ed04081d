// SPDX-License-Identifier: Apache-2.0
/** Banks, which get their payments in files: an attempt is collected here, and its outcome comes back as a line of the bank's. */
package io.chargeonce.charge.bank;
