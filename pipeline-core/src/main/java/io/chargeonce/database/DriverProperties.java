// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import java.util.Map;
import java.util.Properties;

/** The driver's properties for every connection; the JDBC URL may override them. */
final class DriverProperties {

    static final Map<String, String> ALL = Map.of("ApplicationName", "chargeonce", "tcpKeepAlive", "true",
            // When Postgres refuses a row, its error detail quotes the row. That must reach no log and no error text.
            "logServerErrorDetail", "false");

    private DriverProperties() {}

    static Properties with(String user, String password) {
        var properties = new Properties();
        properties.putAll(ALL);
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        return properties;
    }
}
