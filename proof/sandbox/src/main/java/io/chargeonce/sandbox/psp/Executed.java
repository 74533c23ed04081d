// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.psp;

import java.util.Optional;

/** An answer together with what has to change for it to be true. */
public record Executed<C extends PspChange, A>(A answer, Optional<C> change) {

    public static <C extends PspChange, A> Executed<C, A> of(A answer, C change) {
        return new Executed<>(answer, Optional.of(change));
    }

    public static <C extends PspChange, A> Executed<C, A> nothingBut(A answer) {
        return new Executed<>(answer, Optional.empty());
    }
}
