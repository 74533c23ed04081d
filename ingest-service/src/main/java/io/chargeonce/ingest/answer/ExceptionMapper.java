// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

import io.chargeonce.http.Answer;
import io.chargeonce.database.Coalescer;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns exceptions of a request into problems to answer with. */
public final class ExceptionMapper {

    private static final Logger LOG = LoggerFactory.getLogger(ExceptionMapper.class);

    private ExceptionMapper() {}

    public static Answer answer(Supplier<Answer> answer) {
        return guarded(answer, Problem::answer);
    }

    public static <T> Checked<T> checked(Supplier<Checked<T>> checked) {
        return guarded(checked, Checked.Wrong::new);
    }

    private static <T> T guarded(Supplier<T> work, Function<Problem, T> otherwise) {
        try {
            return work.get();
        } catch (Coalescer.Overloaded e) {
            return otherwise.apply(e.isDatabaseAway() ? Problems.unreached() : Problems.overloaded());
        } catch (DatabaseUnavailable e) {
            LOG.warn("A request was answered with 503, to be repeated with the same key: {}", e.getMessage());
            return otherwise.apply(Problems.unavailable());
        } catch (DatabaseRefused e) {
            if (!e.isAboutTheRow()) {
                LOG.warn("A request was answered with 503, to be repeated with the same key: {}", e.getMessage());
                return otherwise.apply(Problems.unavailable());
            }
            LOG.error("Bug! Postgres refused what this service had checked; the request was answered with 500", e);
            return otherwise.apply(Problems.internal());
        } catch (RequestException | CloseConnectionException clients) {
            // A malformed or broken request: the web server answers it, or closes its connection.
            throw clients;
        } catch (RuntimeException bug) {
            LOG.error("Bug! A request ran into an exception and was answered with 500", bug);
            return otherwise.apply(Problems.internal());
        }
    }
}
