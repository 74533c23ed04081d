// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import io.chargeonce.sandbox.WrappedDriver;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Postgres behind a line that is cut at a chosen step and stays cut, as when the process at this end is killed there: what
 * was not committed is rolled back. A step is a statement or a commit.
 */
public final class FaultyDriver extends WrappedDriver {

    /** Whether the step in which the line is cut still reaches Postgres, and only its answer is lost. */
    public enum Cut { BEFORE, AFTER }

    private static final String PREFIX = "jdbc:faulty:";
    private static final Set<String> STEPS = Set.of("execute", "executeQuery", "executeUpdate", "commit");

    private static volatile int cutAt;
    private static volatile Cut cut;
    private static final AtomicInteger STEP = new AtomicInteger();

    static {
        try {
            DriverManager.registerDriver(new FaultyDriver());
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The line of this URL, cut at that step, counted from 1. */
    public static String cutting(String url, int step, Cut how) {
        cutAt = step;
        cut = how;
        STEP.set(0);
        return PREFIX + url;
    }

    /** Whether so many steps were taken that the line was cut. */
    public static boolean wasCut() {
        return STEP.get() >= cutAt;
    }

    private FaultyDriver() {
        super(PREFIX);
    }

    @Override
    protected Connection wrap(Connection real) {
        return (Connection) wrap(Connection.class, real);
    }

    private static Object wrap(Class<?> type, Object real) {
        return Proxy.newProxyInstance(FaultyDriver.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            // What each connection is prepared with is no step of ours.
            if (!STEPS.contains(method.getName()) || isPreparation(arguments)) {
                return wrapped(call(real, method, arguments));
            }
            int step = STEP.incrementAndGet();
            if (step > cutAt || step == cutAt && cut == Cut.BEFORE) {
                hangUp(real);
                throw gone();
            }
            Object answer = call(real, method, arguments);
            if (step == cutAt) {
                hangUp(real);
                throw gone();
            }
            return answer;
        });
    }

    private static boolean isPreparation(Object... arguments) {
        return arguments != null && arguments.length > 0 && arguments[0] instanceof String sql && sql.startsWith("SET search_path");
    }

    private static Object wrapped(Object answer) {
        if (answer instanceof PreparedStatement) {
            return wrap(PreparedStatement.class, answer);
        }
        return answer instanceof Statement ? wrap(Statement.class, answer) : answer;
    }

    private static void hangUp(Object real) throws SQLException {
        Connection connection = real instanceof Statement statement ? statement.getConnection() : (Connection) real;
        connection.abort(Runnable::run);
    }

    private static SQLException gone() {
        return new SQLException("the line was cut", "08006");
    }
}
