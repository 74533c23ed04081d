package io.chargeonce.dlq;

import com.sun.security.auth.module.UnixSystem;
import java.util.Optional;

/** The person at this terminal, as the operating system knows them. Nothing that can be typed or set changes it. */
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
