// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Whose certificates a mail server may have. */
final class Trust {

    private Trust() {}

    /** @param ca a PEM file; empty for those that the JVM trusts */
    static SSLSocketFactory of(Optional<Path> ca) {
        return ca.map(Trust::in).orElseGet(() -> (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    private static SSLSocketFactory in(Path file) {
        try (InputStream pem = Files.newInputStream(file)) {
            var store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
            if (number == 0) {
                throw new IllegalArgumentException("%s: %s has no certificate".formatted(ReceiptSettings.CA.name(), file));
            }
            var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context.getSocketFactory();
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalArgumentException("%s: %s cannot be read as certificates".formatted(ReceiptSettings.CA.name(), file), e);
        }
    }
}
