// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.adyen;

/** An answer together with what has to change for it to be true. */
record Executed(Answer answer, Change change) {
    static Executed nothingBut(Answer answer) {
        return new Executed(answer, Change.NOTHING);
    }
}
