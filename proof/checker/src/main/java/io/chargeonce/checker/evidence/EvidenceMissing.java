// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

/** Something that the books are made from cannot be read, so there is no verdict. The message says what, on one line. */
public final class EvidenceMissing extends RuntimeException {

    EvidenceMissing(String message, Throwable cause) {
        super(message, cause);
    }
}
