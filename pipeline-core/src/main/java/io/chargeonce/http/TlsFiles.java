// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.chargeonce.runtime.tls.CertificateExpiry;
import io.chargeonce.runtime.tls.ModernTls;
import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.time.Instant;
import java.util.Optional;

/** The files that HTTPS is made of, in PEM. */
public record TlsFiles(Path certificate, Path key) {

    /**
     * @param settings what the names of their settings begin with
     * @throws IllegalArgumentException if there is only one of the two
     */
    public static Optional<TlsFiles> of(String settings, Optional<Path> certificate, Optional<Path> key) {
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException(
                    "%s_CERTIFICATE_FILE and %1$s_KEY_FILE: give both for HTTPS or neither for HTTP".formatted(settings));
        }
        return certificate.map(file -> new TlsFiles(file, key.orElseThrow()));
    }

    /** What is in both. */
    byte[] bytes() throws IOException {
        var all = new ByteArrayOutputStream();
        all.write(Files.readAllBytes(certificate));
        all.write(Files.readAllBytes(key));
        return all.toByteArray();
    }

    /** When the first certificate of the chain to expire does so. */
    Instant expires() throws IOException {
        try {
            return CertificateExpiry.ofPem(Files.readString(certificate, StandardCharsets.ISO_8859_1));
        } catch (CertificateException e) {
            throw new IllegalStateException("%s holds no readable certificate (%s): give a PEM file".formatted(certificate, e.getMessage()),
                    e);
        }
    }

    /** @throws IllegalStateException if the files cannot be used; its message is one line */
    public Tls tls() {
        try {
            Keys keys = Keys.builder()
                    .pem(pem -> pem.key(Resource.create(key)).certChain(Resource.create(certificate)))
                    .build();
            requirePair(keys.privateKey().orElseThrow(), keys.publicCert().orElseThrow().getPublicKey());
            return Tls.builder().privateKey(keys).privateKeyCertChain(keys)
                    .enabledProtocols(ModernTls.PROTOCOLS).enabledCipherSuites(ModernTls.SUITES).build();
        } catch (RuntimeException | GeneralSecurityException e) {
            throw new IllegalStateException("HTTPS cannot be set up from %s and %s (%s): give PEM files, the key in PKCS#8"
                    .formatted(certificate, key, e.getMessage()), e);
        }
    }

    /** A server with another's key would start, and refuse every client. */
    private static void requirePair(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> key.getAlgorithm();
        });
        byte[] something = {1, 2, 3};
        signature.initSign(key);
        signature.update(something);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(something);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("the key is not that of the certificate");
        }
    }
}
