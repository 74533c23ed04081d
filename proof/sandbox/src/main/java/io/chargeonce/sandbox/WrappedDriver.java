// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.logging.Logger;

/**
 * A JDBC driver under an address of its own, in front of Postgres's driver. It lets a test measure what goes through, or cut it off,
 * and its users do not notice. It works once it is registered with {@link DriverManager}.
 */
public abstract class WrappedDriver implements Driver {

    private final String prefix;

    /** @param prefix stands before an address that is to go through here, such as {@code jdbc:faulty:} */
    protected WrappedDriver(String prefix) {
        this.prefix = prefix;
    }

    /** What its users get in place of a real connection. */
    protected abstract Connection wrap(Connection real) throws SQLException;

    /** Calls the real object, and throws what that throws. */
    protected static Object call(Object real, Method method, Object... arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @Override
    public Connection connect(String url, Properties properties) throws SQLException {
        return acceptsURL(url) ? wrap(DriverManager.getConnection(url.substring(prefix.length()), properties)) : null;
    }

    @Override
    public boolean acceptsURL(String url) {
        return url.startsWith(prefix);
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
        throw new SQLFeatureNotSupportedException("it logs nothing");
    }
}
