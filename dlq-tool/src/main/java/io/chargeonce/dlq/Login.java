// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq;

import com.sun.security.auth.module.UnixSystem;
import java.util.Optional;

/** The account at this machine. It is a claim: who owns the machine chooses it. The database knows the login, and only that counts. */
public final class Login {

    private Login() {}

    public static String name() {
        try {
            var system = new UnixSystem();
            // In a container it may have no name.
            return Optional.ofNullable(system.getUsername()).orElseGet(() -> "uid:" + system.getUid());
        } catch (LinkageError notUnix) {
            // Windows has no such library in the JDK; there the JVM asks the system itself.
            return System.getProperty("user.name");
        }
    }
}
