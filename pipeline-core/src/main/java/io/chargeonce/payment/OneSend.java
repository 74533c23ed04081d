// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.payment;

import java.util.Optional;

/**
 * An answer describes one send. If this send never left us, or was refused, that says nothing about another send of the same key: then the
 * attempt stays unknown.
 */
public final class OneSend {

    private OneSend() {}

    /**
     * @param otherSends sends of the key besides the one answered, including those that may have been made
     * @return what the answer says about the attempt
     */
    public static Outcome judge(Outcome answer, int otherSends) {
        if (otherSends < 0) {
            throw new IllegalArgumentException("Bug! An answer without a send");
        }
        return answer instanceof Outcome.Failed failed && otherSends > 0 && failed.cause().failureClass().describesOneSend()
                ? new Outcome.Unknown(UnknownCause.ANOTHER_SEND,
                        "this send ended with %s, but the key was sent before: %s".formatted(failed.cause().tag(), failed.detail()),
                        Optional.empty())
                : answer;
    }
}
