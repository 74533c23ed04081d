// SPDX-License-Identifier: Apache-2.0
/** A real mail server on this machine, which keeps what it gets. It knows nothing of payments. */
package io.chargeonce.sandbox.mail;
