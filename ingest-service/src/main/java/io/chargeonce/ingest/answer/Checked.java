// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

import io.chargeonce.http.Answer;
import java.util.function.Function;

/** A part of a request: either read and found right, or the problem to answer with. */
public sealed interface Checked<T> {

    record Right<T>(T value) implements Checked<T> {}

    record Wrong<T>(Problem problem) implements Checked<T> {}

    default Answer answer(Function<T, Answer> next) {
        return switch (this) {
            case Right<T>(T value) -> next.apply(value);
            case Wrong<T>(Problem problem) -> problem.answer();
        };
    }
}
