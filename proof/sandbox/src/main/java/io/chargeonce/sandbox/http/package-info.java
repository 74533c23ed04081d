// SPDX-License-Identifier: Apache-2.0
/** The HTTP server that the PSP simulators share. It knows nothing of money. */
package io.chargeonce.sandbox.http;
