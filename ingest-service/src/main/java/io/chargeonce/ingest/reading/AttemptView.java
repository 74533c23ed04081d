// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.reading;

import io.chargeonce.database.Sql;
import io.chargeonce.ledger.AttemptState;
import io.chargeonce.payment.FailureCause;
import io.chargeonce.payment.UnknownCause;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The attempts to charge a payment, in words that need no knowledge of this pipeline. */
final class AttemptView {

    private AttemptView() {}

    private static final String SELECT = """
            SELECT sequence, psp, state, cause, sends, sent_at, decided_at
              FROM attempts_of(?, ?)
             ORDER BY sequence
            """;

    static List<Map<String, Object>> of(Connection connection, String merchant, String payment) throws SQLException {
        return Sql.all(connection, SELECT, AttemptView::view, merchant, payment);
    }

    private static Map<String, Object> view(ResultSet row) throws SQLException {
        var view = new LinkedHashMap<String, Object>();
        view.put("number", row.getInt("sequence"));
        view.put("psp", row.getString("psp"));
        view.put("result", inWords(AttemptState.fromTag(row.getString("state")), Optional.ofNullable(row.getString("cause"))));
        view.put("sends", row.getInt("sends"));
        view.put("sent_at", PaymentView.time(row.getTimestamp("sent_at")));
        Optional.ofNullable(row.getTimestamp("decided_at")).ifPresent(at -> view.put("decided_at", PaymentView.time(at)));
        return view;
    }

    static String inWords(AttemptState state, Optional<String> cause) {
        return switch (state) {
            case IN_FLIGHT -> "under way, no answer yet";
            case UNKNOWN -> "it is not known yet whether it took the money" + cause.map(tag -> ": " + unknown(tag)).orElse("");
            case FAILED_DEFINITE -> "certainly took no money" + cause.map(tag -> ": " + failed(tag)).orElse("");
            case SUCCEEDED -> "took the money";
        };
    }

    private static String failed(String tag) {
        return FailureCause.fromTag(tag).map(cause -> switch (cause) {
            case PSP_HOST_UNKNOWN, CONNECTION_REFUSED, CONNECT_TIMED_OUT, TLS_HANDSHAKE_FAILED -> "it never reached the PSP";
            case TOO_LATE_TO_SEND -> "it was too late to send it";
            case BREAKER_OPEN -> "the PSP was failing and was not called";
            case PSP_ABSENT -> "the PSP is not set up";
            case PSP_PAUSED, MERCHANT_PAUSED -> "a person has paused it, so the PSP was not called";
            case RATE_LIMITED -> "the PSP limits how many requests it takes, and refused it";
            case CREDENTIAL_REFUSED -> "the PSP refused our credential";
            case PSP_UNWELL -> "the PSP failed before it did anything";
            case INTERNAL_ERROR -> "something was wrong on our side";
            case CANCELLED_UNEXECUTED -> "the PSP had not executed it and has cancelled it";
            case REFUND_FAILED -> "the customer's side refused the refund";
            case SETTLED_NOT_CHARGED -> "a person has found that out";
            case REFUSED_BY_THIS_PSP -> "this PSP does not take such payments";
            case REQUEST_REFUSED -> "the PSP says that the request is wrong";
        }).orElse("declined, " + tag);
    }

    private static String unknown(String tag) {
        return UnknownCause.fromTag(tag).map(cause -> switch (cause) {
            case GATEWAY_TIMED_OUT -> "the PSP did not answer in time";
            case CONNECTION_LOST -> "the connection broke before an answer came";
            case PSP_ERROR -> "the PSP answered with an error of its own";
            case ANSWER_UNREADABLE -> "the PSP's answer could not be read";
            case STILL_PROCESSING, KEY_IN_USE -> "the PSP is still working on it";
            case NO_ANSWER_IN_TIME -> "the bank has not answered in time";
            case KEY_MISMATCH, ANSWER_MISMATCH -> "the PSP's answer does not fit this payment";
            case NOT_FOUND -> "the PSP does not know of it yet";
            case ANOTHER_SEND -> "it was sent more than once, and only one sending was answered";
            case INTERNAL_ERROR -> "something was wrong on our side";
            case CANNOT_BE_ASKED -> "the PSP cannot be asked about it any more";
            case OVERTAKEN -> "an older message came late";
            case LEASE_RAN_OUT -> "the process that sent it ended before an answer was recorded";
        }).orElse(tag);
    }
}
