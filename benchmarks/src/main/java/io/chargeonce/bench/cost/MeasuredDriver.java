package io.chargeonce.bench.cost;

import java.lang.reflect.InvocationHandler;
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
import java.util.logging.Logger;
import org.postgresql.PGConnection;

/** Postgres's driver under another address, which measures each statement. The services cannot tell. */
public final class MeasuredDriver implements Driver, AutoCloseable {

    private static final String POSTGRES = "jdbc:postgresql:";
    private static final String MEASURED = "jdbc:measured:";

    private final StatementCosts costs;

    /** Registered until it is closed. */
    public MeasuredDriver(StatementCosts costs) throws SQLException {
        this.costs = costs;
        DriverManager.registerDriver(this);
    }

    /** The address under which a database is measured. */
    public static String address(String url) {
        return url.replace(POSTGRES, MEASURED);
    }

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
        if (!acceptsURL(url)) {
            return null;
        }
        Connection connection = DriverManager.getConnection(url.replace(MEASURED, POSTGRES), properties);
        int backend = connection.unwrap(PGConnection.class).getBackendPID();
        return proxy(Connection.class, (self, method, arguments) -> call(connection, backend, method, arguments));
    }

    private Object call(Connection connection, int backend, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "prepareStatement" -> {
                var statement = (PreparedStatement) invoke(connection, method, arguments);
                String sql = (String) arguments[0];
                yield proxy(PreparedStatement.class, (self, called, with) -> execute(connection, backend, sql, statement, called, with));
            }
            case "createStatement" -> {
                var statement = (Statement) invoke(connection, method, arguments);
                yield proxy(Statement.class, (self, called, with) ->
                        execute(connection, backend, with == null ? "" : String.valueOf(with[0]), statement, called, with));
            }
            case "commit", "rollback" -> {
                try {
                    yield costs.measured(backend, method.getName(), () -> invoke(connection, method, arguments));
                } finally {
                    if (arguments == null) {
                        costs.leave();
                    }
                }
            }
            case "close", "abort" -> {
                costs.leave();
                yield invoke(connection, method, arguments);
            }
            default -> invoke(connection, method, arguments);
        };
    }

    private Object execute(Connection connection, int backend, String sql, Statement statement, Method method, Object[] arguments) throws Throwable {
        if (!method.getName().startsWith("execute")) {
            return invoke(statement, method, arguments);
        }
        costs.enter();
        try {
            return costs.measured(backend, sql, () -> invoke(statement, method, arguments));
        } finally {
            if (connection.getAutoCommit()) {
                costs.leave();
            }
        }
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(MeasuredDriver.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(MEASURED);
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties properties) {
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
        throw new SQLFeatureNotSupportedException("its logging is Postgres's driver's");
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
    }
}
