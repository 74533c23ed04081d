// SPDX-License-Identifier: Apache-2.0
/**
 * Bank files: what charge has collected goes to banks in files, and what banks answer becomes lines that charge takes. Here are the
 * service, its settings and the accounts at banks. No package below decides about money.
 */
package io.chargeonce.bank;
