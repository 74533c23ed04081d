// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

/** One of the requests that a PSP's API knows. */
public interface Endpoint {
    /** The name that fault rules and the ledger use. */
    String text();
}
