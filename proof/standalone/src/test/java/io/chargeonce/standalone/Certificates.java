// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A self-made certificate for a server on this machine, as a key store and as PEM files, made by the JDK's own keytool. */
final class Certificates {

    static final String PASSWORD = "changeit";

    private final Path directory;

    private Certificates(Path directory) {
        this.directory = directory;
    }

    /** @param names what the certificate is for, such as {@code ip:127.0.0.1} */
    static Certificates make(Path directory, String names) throws Exception {
        Files.createDirectories(directory);
        var made = new Certificates(directory);
        keytool("-genkeypair", "-alias", "server", "-keyalg", "EC", "-groupname", "secp256r1", "-validity", "2",
                "-dname", "CN=chargeonce test", "-ext", "san=" + names, "-ext", "bc:c", "-storetype", "PKCS12",
                "-keystore", made.keyStore().toString(), "-storepass", PASSWORD);
        made.writePem();
        return made;
    }

    Path keyStore() {
        return directory.resolve("server.p12");
    }

    Path certificate() {
        return directory.resolve("server.crt");
    }

    Path key() {
        return directory.resolve("server.key");
    }

    private void writePem() throws IOException, GeneralSecurityException {
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(keyStore())) {
            store.load(in, PASSWORD.toCharArray());
        }
        Files.writeString(certificate(), pem("CERTIFICATE", store.getCertificate("server").getEncoded()));
        Files.writeString(key(), pem("PRIVATE KEY", store.getKey("server", PASSWORD.toCharArray()).getEncoded()));
        // Postgres refuses a key that others may read.
        Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-------"));
    }

    private static String pem(String what, byte[] bytes) {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN %s-----%n%s%n-----END %1$s-----%n".formatted(what, body);
    }

    private static void keytool(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes());
        if (process.waitFor() != 0) {
            throw new IllegalStateException("keytool: " + said);
        }
    }
}
