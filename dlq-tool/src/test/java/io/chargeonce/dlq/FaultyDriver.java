package io.chargeonce.dlq;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;

/**
 * Postgres behind a line that is cut at a chosen step and stays cut, as when the process at this end is killed there: what
 * was not committed is rolled back. A step is a statement or a commit.
 */
public final class FaultyDriver implements Driver {

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

    @Override
    public Connection connect(String url, Properties info) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        return (Connection) wrap(Connection.class, DriverManager.getConnection(url.substring(PREFIX.length()), info));
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

    private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void hangUp(Object real) throws SQLException {
        Connection connection = real instanceof Statement statement ? statement.getConnection() : (Connection) real;
        connection.abort(Runnable::run);
    }

    private static SQLException gone() {
        return new SQLException("the line was cut", "08006");
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(PREFIX);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties info) {
        return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
        return 1;
    }

    @Override
    public int getMinorVersion() {
        return 0;
    }

    @Override
    public boolean jdbcCompliant() {
        return false;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException();
    }
}
