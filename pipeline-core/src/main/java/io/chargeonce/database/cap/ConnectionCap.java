// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database.cap;

import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * The most connections to Postgres that many pools have together, idle ones included. When there is no other, the pools close their idle
 * connections, so that a person who does nothing keeps no other out. Any thread.
 */
public final class ConnectionCap {

    /** Shorter than a caller of a pool waits, so that it learns the reason. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    /** As Postgres says it of itself: see PostgreSQL, appendix A. */
    private static final String TOO_MANY_CONNECTIONS = "53300";

    private final int most;
    private final Semaphore free;
    private final Set<Runnable> idle = ConcurrentHashMap.newKeySet();

    /** All connections of this process are in use. */
    private static final class Reached extends SQLTransientConnectionException {
        private static final long serialVersionUID = 1;

        Reached(int most) {
            super("all %d connections of this process to Postgres are in use".formatted(most), TOO_MANY_CONNECTIONS);
        }
    }

    public ConnectionCap(int most) {
        this.most = most;
        this.free = new Semaphore(most, true);
    }

    public static ConnectionCap none() {
        return new ConnectionCap(Integer.MAX_VALUE);
    }

    /** Whether this failed because all connections were in use. */
    public static boolean isReached(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof Reached) {
                return true;
            }
        }
        return false;
    }

    /** @param close closes the idle connections of a pool, until {@link #forget} */
    public void remember(Runnable close) {
        idle.add(close);
    }

    public void forget(Runnable close) {
        idle.remove(close);
    }

    /** @param properties of the driver, for a login and its password */
    public DataSource over(String url, BiFunction<String, String, Properties> properties) {
        return new Capped(url, properties);
    }

    /**
     * A connection that counts until it is closed.
     *
     * @throws SQLTransientConnectionException if all are in use: see {@link #isReached}
     */
    public Connection connect(String url, Properties properties) throws SQLException {
        take();
        boolean connected = false;
        try {
            Connection connection = counted(DriverManager.getConnection(url, properties));
            connected = true;
            return connection;
        } finally {
            if (!connected) {
                free.release();
            }
        }
    }

    private void take() throws SQLException {
        if (free.tryAcquire()) {
            return;
        }
        idle.forEach(Runnable::run);
        try {
            if (!free.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new Reached(most);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Reached(most);
        }
    }

    private Connection counted(Connection connection) {
        var open = new AtomicBoolean(true);
        return (Connection) Proxy.newProxyInstance(Connection.class.getClassLoader(), new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                    boolean ends = method.getName().equals("close") || method.getName().equals("abort");
                    try {
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (ends && open.compareAndSet(true, false)) {
                            free.release();
                        }
                    }
                });
    }

    /** What a pool takes its connections from. */
    private final class Capped implements DataSource {

        private final String url;
        private final BiFunction<String, String, Properties> properties;

        private Capped(String url, BiFunction<String, String, Properties> properties) {
            this.url = url;
            this.properties = properties;
        }

        @Override
        public Connection getConnection() throws SQLException {
            throw new SQLFeatureNotSupportedException("Bug! A connection needs a login");
        }

        @Override
        public Connection getConnection(String login, String password) throws SQLException {
            return connect(url, properties.apply(login, password));
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        /** The pool sets it for each connection attempt. The URL has the driver's own. */
        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException("the driver does not use java.util.logging");
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
