// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.http;

import java.io.IOException;

/** The answer was longer than any expected one. Its content is not known, and the request may have been executed. */
public final class AnswerTooLong extends IOException {
    private static final long serialVersionUID = 1;

    /** @param most in bytes */
    public AnswerTooLong(long most) {
        super("the answer is longer than %,d bytes".formatted(most));
    }
}
