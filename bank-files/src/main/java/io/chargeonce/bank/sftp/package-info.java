// SPDX-License-Identifier: Apache-2.0
/** The way to a bank's SFTP server. Knows names and bytes, and neither rows nor messages. */
package io.chargeonce.bank.sftp;
