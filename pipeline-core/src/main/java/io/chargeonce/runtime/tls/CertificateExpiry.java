// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime.tls;

import io.chargeonce.text.TextFile;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.postgresql.Driver;

/** When certificates expire: those of our HTTPS, and those with which this process shows Postgres and Kafka who it is. */
public final class CertificateExpiry {

    private static final String METER = "chargeonce.certificate.expires.timestamp.seconds";
    private static final Pattern IN_PEM = Pattern.compile("-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", Pattern.DOTALL);

    private interface Source {
        Optional<Instant> expires() throws IOException, GeneralSecurityException;
    }

    private CertificateExpiry() {}

    /**
     * The earliest expiry of a chain in PEM; a private key may stand before it.
     *
     * @throws CertificateException if there is no readable certificate
     */
    public static Instant ofPem(String pem) throws CertificateException {
        var all = new ArrayList<Certificate>();
        for (String one : IN_PEM.matcher(pem).results().map(found -> found.group()).toList()) {
            all.add(CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(one.getBytes(
                    StandardCharsets.US_ASCII))));
        }
        return first(all).orElseThrow(() -> new CertificateException("there is none"));
    }

    /** Reports a server's own. It reads the expiry again for each scrape. */
    public static void report(MeterRegistry meters, String door, Supplier<Instant> expires) {
        Gauge.builder(METER, () -> expires.get().getEpochSecond()).tag("door", door)
                .description("When the certificate expires, in seconds since 1970").register(meters);
    }

    /**
     * Reports our own certificates, where there are any.
     *
     * @param databaseUrl     may name one in {@code sslcert}, or in a PKCS#12 file as {@code sslkey}
     * @param kafkaProperties may name one in {@code ssl.keystore…}; a running client may still use an older one
     */
    public static void reportOurs(MeterRegistry meters, String databaseUrl, Optional<Path> kafkaProperties) {
        Properties given = Optional.ofNullable(Driver.parseURL(databaseUrl, new Properties())).orElseGet(Properties::new);
        String key = given.getProperty("sslkey", "");
        if (key.endsWith(".p12") || key.endsWith(".pfx")) {
            report(meters, "postgres", () -> ofKeyStore(key, given.getProperty("sslpassword", "")));
        } else if (given.containsKey("sslcert")) {
            report(meters, "postgres", () -> Optional.of(ofPem(Files.readString(Path.of(given.getProperty("sslcert"))))));
        }
        kafkaProperties.filter(CertificateExpiry::hasKeyStore).ifPresent(file -> report(meters, "kafka", () -> ofKafka(read(file))));
    }

    private static boolean hasKeyStore(Path file) {
        try {
            return read(file).stringPropertyNames().stream().anyMatch(name -> name.startsWith("ssl.keystore."));
        } catch (IOException e) {
            return false;
        }
    }

    private static Properties read(Path file) throws IOException {
        var properties = new Properties();
        try (Reader reader = TextFile.open(file)) {
            properties.load(reader);
        }
        return properties;
    }

    private static Optional<Instant> ofKafka(Properties given) throws IOException, GeneralSecurityException {
        String inline = given.getProperty("ssl.keystore.certificate.chain");
        if (inline != null) {
            return Optional.of(ofPem(inline));
        }
        String file = given.getProperty("ssl.keystore.location", "");
        return given.getProperty("ssl.keystore.type", "").equalsIgnoreCase("PEM") ? Optional.of(ofPem(Files.readString(Path.of(file))))
                : ofKeyStore(file, given.getProperty("ssl.keystore.password", ""));
    }

    private static Optional<Instant> ofKeyStore(String file, String password) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance(new File(file), password.toCharArray());
        var all = new ArrayList<Certificate>();
        for (String alias : Collections.list(store.aliases())) {
            Optional.ofNullable(store.getCertificateChain(alias)).map(List::of).ifPresent(all::addAll);
        }
        return first(all);
    }

    private static Optional<Instant> first(Collection<Certificate> all) {
        return all.stream().map(one -> ((X509Certificate) one).getNotAfter().toInstant()).min(Comparator.naturalOrder());
    }

    private static void report(MeterRegistry meters, String door, Source source) {
        Gauge.builder(METER, () -> seconds(source)).tag("door", door)
                .description("When the certificate expires, in seconds since 1970").register(meters);
    }

    /** Not a number while it cannot be read; then no new connection can be made either, and that is reported elsewhere. */
    private static double seconds(Source source) {
        try {
            return source.expires().map(at -> (double) at.getEpochSecond()).orElse(Double.NaN);
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            return Double.NaN;
        }
    }
}
