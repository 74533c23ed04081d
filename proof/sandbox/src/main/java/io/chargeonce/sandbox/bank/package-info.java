// SPDX-License-Identifier: Apache-2.0
/** A bank that takes files over SFTP, reads them with a reader that is not ours, and answers in files, as it is told to. */
package io.chargeonce.sandbox.bank;
