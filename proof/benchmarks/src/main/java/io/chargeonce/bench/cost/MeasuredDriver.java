// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.cost;

import io.chargeonce.sandbox.WrappedDriver;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;

/** Postgres's driver under another address, which measures each statement. The services cannot tell. */
public final class MeasuredDriver extends WrappedDriver implements AutoCloseable {

    private static final String PREFIX = "jdbc:measured:";

    private final StatementCosts costs;

    /** Registered until it is closed. */
    public MeasuredDriver(StatementCosts costs) throws SQLException {
        super(PREFIX);
        this.costs = costs;
        DriverManager.registerDriver(this);
    }

    /** The address under which a database is measured. */
    public static String address(String url) {
        return PREFIX + url;
    }

    @Override
    protected Connection wrap(Connection real) throws SQLException {
        int backend = real.unwrap(PGConnection.class).getBackendPID();
        return proxy(Connection.class, (self, method, arguments) -> onConnection(real, backend, method, arguments));
    }

    private Object onConnection(Connection connection, int backend, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "prepareStatement" -> {
                var statement = (PreparedStatement) call(connection, method, arguments);
                String sql = (String) arguments[0];
                yield proxy(PreparedStatement.class, (self, called, with) -> execute(connection, backend, sql, statement, called, with));
            }
            case "createStatement" -> {
                var statement = (Statement) call(connection, method, arguments);
                yield proxy(Statement.class, (self, called, with) -> execute(connection, backend,
                        with == null ? "" : String.valueOf(with[0]), statement, called, with));
            }
            case "commit", "rollback" -> {
                try {
                    yield costs.measured(backend, method.getName(), () -> call(connection, method, arguments));
                } finally {
                    if (arguments == null) {
                        costs.leave();
                    }
                }
            }
            case "close", "abort" -> {
                costs.leave();
                yield call(connection, method, arguments);
            }
            default -> call(connection, method, arguments);
        };
    }

    private Object execute(Connection connection, int backend, String sql, Statement statement, Method method, Object... arguments)
            throws Throwable {
        if (!method.getName().startsWith("execute")) {
            return call(statement, method, arguments);
        }
        costs.enter();
        try {
            return costs.measured(backend, sql, () -> call(statement, method, arguments));
        } finally {
            if (connection.getAutoCommit()) {
                costs.leave();
            }
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(MeasuredDriver.class.getClassLoader(), new Class<?>[] {type}, handler));
    }

    @Override
    public void close() throws SQLException {
        DriverManager.deregisterDriver(this);
    }
}
