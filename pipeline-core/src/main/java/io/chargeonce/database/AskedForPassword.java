// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.database;

import org.postgresql.plugin.AuthenticationPlugin;
import org.postgresql.plugin.AuthenticationRequestType;

/**
 * Notices whether Postgres asked for the password. Where pg_hba.conf says trust, it asks for none, and any token would be right. The
 * driver makes one object per connection and tells nobody which, so the answer is kept with the thread that connects.
 */
public final class AskedForPassword implements AuthenticationPlugin {

    private static final ThreadLocal<char[]> PASSWORD = new ThreadLocal<>();
    private static final ThreadLocal<Boolean> ASKED = ThreadLocal.withInitial(() -> false);

    /** Created by the driver, by its name. */
    public AskedForPassword() {}

    static void begin(char[] password) {
        PASSWORD.set(password);
        ASKED.set(false);
    }

    /** Whether Postgres asked this thread since {@link #begin}. */
    static boolean end() {
        boolean asked = ASKED.get();
        PASSWORD.remove();
        ASKED.remove();
        return asked;
    }

    @Override
    public char[] getPassword(AuthenticationRequestType type) {
        ASKED.set(true);
        char[] password = PASSWORD.get();
        // The driver wipes what it gets.
        return password == null ? null : password.clone();
    }
}
