// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp.http;

import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.UnknownCause;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import javax.net.ssl.SSLHandshakeException;

/** What a failed exchange proves about the money. Pure. */
public final class WireFailure {

    private WireFailure() {}

    /** Why the connection was never established, so that no byte of the request left; empty if one may have. */
    public static Optional<FailureCause> notSent(Throwable failure) {
        return switch (failure) {
            case HttpConnectTimeoutException e -> Optional.of(FailureCause.CONNECT_TIMED_OUT);
            case ConnectException e when e.getCause() instanceof UnknownHostException
                    || e.getCause() instanceof UnresolvedAddressException ->
                Optional.of(FailureCause.PSP_HOST_UNKNOWN);
            case ConnectException e -> Optional.of(FailureCause.CONNECTION_REFUSED);
            case UnknownHostException e -> Optional.of(FailureCause.PSP_HOST_UNKNOWN);
            case SSLHandshakeException e -> Optional.of(FailureCause.TLS_HANDSHAKE_FAILED);
            case null, default -> Optional.empty();
        };
    }

    /** Why the outcome of a request that may have left is unknown. */
    public static UnknownCause unknown(Throwable failure) {
        return switch (failure) {
            case HttpTimeoutException e -> UnknownCause.GATEWAY_TIMED_OUT;
            case AnswerTooLong e -> UnknownCause.ANSWER_UNREADABLE;
            case null, default -> UnknownCause.CONNECTION_LOST;
        };
    }
}
