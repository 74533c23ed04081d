package io.chargeonce.ingest;

import io.helidon.common.configurable.Resource;
import io.helidon.common.pki.Keys;
import io.helidon.common.tls.Tls;
import java.nio.file.Path;
import java.util.Optional;

/** The files that HTTPS is made of, in PEM. */
public record TlsFiles(Path certificate, Path key) {

    /** @throws IllegalArgumentException if there is only one of the two */
    static Optional<TlsFiles> of(Optional<Path> certificate, Optional<Path> key) {
        if (certificate.isPresent() != key.isPresent()) {
            throw new IllegalArgumentException("CHARGEONCE_INGEST_TLS_CERTIFICATE_FILE and CHARGEONCE_INGEST_TLS_KEY_FILE: "
                    + "give both for HTTPS or neither for HTTP");
        }
        return certificate.map(file -> new TlsFiles(file, key.orElseThrow()));
    }

    /** @throws IllegalStateException if the files cannot be used; its message is one line */
    Tls tls() {
        try {
            Keys keys = Keys.builder()
                    .pem(pem -> pem.key(Resource.create(key)).certChain(Resource.create(certificate)))
                    .build();
            return Tls.builder().privateKey(keys).privateKeyCertChain(keys).build();
        } catch (RuntimeException e) {
            throw new IllegalStateException("HTTPS cannot be set up from %s and %s (%s): give PEM files, the key in PKCS#8"
                    .formatted(certificate, key, e.getMessage()), e);
        }
    }
}
