// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.client;

/** A payment could not be read. This says nothing about the payment. The message says what stood in the way. */
public final class ReadFailed extends Exception {

    private static final long serialVersionUID = 1;

    ReadFailed(String message) {
        super(message);
    }
}
