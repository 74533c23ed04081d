package io.chargeonce.ingest;

import io.chargeonce.database.Coalescer;
import io.chargeonce.database.DatabaseRefused;
import io.chargeonce.database.DatabaseUnavailable;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what can go wrong below into the problem to answer with. */
final class Guarded {

    private static final Logger LOG = LoggerFactory.getLogger(Guarded.class);

    private Guarded() {}

    static Answer answer(Supplier<Answer> answer) {
        try {
            return answer.get();
        } catch (Coalescer.Overloaded e) {
            return Problems.overloaded().answer();
        } catch (DatabaseUnavailable e) {
            LOG.warn("A request was answered with 503, to be repeated with the same key: {}", e.getMessage());
            return Problems.unavailable().answer();
        } catch (DatabaseRefused e) {
            LOG.error("Bug! Postgres refused what this service had checked; the request was answered with 500", e);
            return Problems.internal().answer();
        }
    }
}
