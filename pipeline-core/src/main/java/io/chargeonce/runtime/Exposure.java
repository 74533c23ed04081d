// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.chargeonce.text.TextFile;
import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.postgresql.Driver;
import org.postgresql.jdbc.SslMode;
import org.postgresql.util.PSQLException;
import org.slf4j.LoggerFactory;

/**
 * Finds settings that would expose data to the network, or to other accounts of this machine. Findings are refused at the start, unless
 * CHARGEONCE_INSECURE allows them. Names are not resolved: only {@code localhost} and numeric addresses count as this machine.
 */
public final class Exposure {

    /** What a setting's value would expose, and what to do next; empty if nothing. */
    interface Judge<T> {
        Optional<String> finding(String name, T value, Settings all);
    }

    static final String HOW_TO_ALLOW =
            "CHARGEONCE_INSECURE: with yes, such settings only cause a warning; for a trial, never for real money";

    private static final Pattern LOOPBACK = Pattern.compile(
            "localhost|127(\\.(25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");
    private static final Set<PosixFilePermission> NEVER = EnumSet.of(PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.GROUP_WRITE);
    private static final Set<PosixFilePermission> WRITE = EnumSet.of(PosixFilePermission.OTHERS_WRITE, PosixFilePermission.GROUP_WRITE);
    private static final Pattern SECRET_OF_KAFKA = Pattern.compile(".*(password|passphrase|secret|jaas\\.config|keystore\\.key)");
    private static final int ROOT = 0;
    /** A process may read its settings more than once. */
    private static final Set<String> WARNED = ConcurrentHashMap.newKeySet();

    private Exposure() {}

    static boolean isLoopback(String host) {
        return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
    }

    static Optional<String> plainHttp(String name, URI address, Settings all) {
        return plainHttp(name, address);
    }

    /** Whether keys and payments sent there can be read on the network. */
    public static Optional<String> plainHttp(String name, URI address) {
        return "https".equals(address.getScheme()) || isLoopback(address.getHost()) ? Optional.empty()
                : Optional.of("%s: is '%s', which would show keys and payments to the network; give an https address"
                        .formatted(name, address));
    }

    static Optional<String> weakPostgres(String name, String url, Settings all) {
        // The driver itself refuses what it cannot parse.
        return Optional.ofNullable(Driver.parseURL(url, new Properties())).filter(Exposure::isRemote).filter(given -> !isVerified(given))
                .map(given -> ("%s: leads to %s without a verified certificate, so the network could read and change every payment; add "
                        + "sslmode=verify-full and sslrootcert=FILE").formatted(name, given.getProperty("PGHOST")));
    }

    private static boolean isRemote(Properties given) {
        boolean unixSocket = given.getProperty("socketFactory", "").toLowerCase(Locale.ROOT).contains("unix");
        // An address without a host means this machine.
        return !unixSocket && !Arrays.stream(given.getProperty("PGHOST", "").split(","))
                .allMatch(host -> host.isEmpty() || isLoopback(host));
    }

    private static boolean isVerified(Properties given) {
        try {
            return SslMode.of(given) == SslMode.VERIFY_FULL && !given.getProperty("sslfactory", "").endsWith("NonValidatingFactory");
        } catch (PSQLException noSuchMode) {
            return false;
        }
    }

    static Optional<String> plainKafka(String name, String servers, Settings all) {
        if (Arrays.stream(servers.split(",")).map(server -> server.strip().replaceFirst(":\\d*$", "")).allMatch(Exposure::isLoopback)) {
            return Optional.empty();
        }
        Properties client = all.find(PipelineSettings.KAFKA_PROPERTIES).flatMap(file -> file).map(Exposure::read)
                .orElseGet(Properties::new);
        String protocol = client.getProperty("security.protocol", "PLAINTEXT").strip();
        if (!protocol.toUpperCase(Locale.ROOT).endsWith("SSL")) {
            return Optional.of(("%s: leads to %s by %s, which would show payments and passwords to the network; set "
                    + "security.protocol=SASL_SSL or SSL in the file of CHARGEONCE_KAFKA_PROPERTIES_FILE")
                    .formatted(name, servers, protocol));
        }
        return client.getProperty("ssl.endpoint.identification.algorithm", "https").isBlank()
                ? Optional.of(("%s: leads to %s, and the file of CHARGEONCE_KAFKA_PROPERTIES_FILE switches off the check of the broker's "
                        + "name; remove ssl.endpoint.identification.algorithm").formatted(name, servers))
                : Optional.empty();
    }

    static Optional<String> openAdmin(String name, Address address, Settings all) {
        boolean guarded = all.find(PipelineSettings.ADMIN_TOKEN).flatMap(token -> token).isPresent();
        return guarded || isLoopback(address.host()) ? Optional.empty()
                : Optional.of(("%s: is %s, where the network can read business figures; set %s to a file with a token, or listen on "
                        + "127.0.0.1").formatted(name, address, PipelineSettings.ADMIN_TOKEN.name()));
    }

    static Optional<String> withoutTls(String name, Address address, Setting<Optional<Path>> certificate, Settings all) {
        boolean tls = all.find(certificate).flatMap(file -> file).isPresent();
        return tls || address.isLoopback() ? Optional.empty()
                : Optional.of("%s: is %s, where the network can read passwords and payments; set %s and the key, or listen on 127.0.0.1"
                        .formatted(name, address, certificate.name()));
    }

    static Optional<String> openSecret(String name, Secret secret, Settings all) {
        return secret.file().flatMap(file -> openFile(name, file));
    }

    static Optional<String> openFile(String name, Path file, Settings all) {
        return openFile(name, file);
    }

    /** Only a file that holds a password, under any of Kafka's names, is a secret. */
    static Optional<String> openKafkaFile(String name, Path file, Settings all) {
        boolean secret = read(file).stringPropertyNames().stream()
                .anyMatch(key -> SECRET_OF_KAFKA.matcher(key).matches());
        return secret ? openFile(name, file) : Optional.empty();
    }

    /**
     * Whether other accounts may read a secret's file, by the rule that Postgres has for its keys: a file that we own must be readable by
     * its owner only; a file of root or another account by its owner and group, because that is how we can read it. A link counts as its
     * target. So Kubernetes' defaultMode 0440 with an fsGroup passes, and its 0644 does not.
     */
    public static Optional<String> openFile(String name, Path file) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            return isTooOpen(mode, (int) Files.getAttribute(file, "unix:uid"), us())
                    ? Optional.of(("%s: %s has the mode %s, so other accounts may read or change the secret; chmod 600 it (in Kubernetes "
                            + "defaultMode: 0440, and an fsGroup)").formatted(name, file, PosixFilePermissions.toString(mode)))
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException noSuchFileOrNoModes) {
            return Optional.empty();
        }
    }

    /**
     * Whether other accounts may put code into the process: the folder, or a jar in it, may be written by its group or by others. On a file
     * system that is mounted read-only nobody can, whatever the modes are. Kubernetes gives many volumes the mode 0777.
     */
    static Optional<String> openJars(String name, Path folder, Settings all) {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
            return Stream.concat(Stream.of(folder), StreamSupport.stream(jars.spliterator(), false).sorted())
                    .flatMap(one -> openCode(name, one).stream()).findFirst();
        } catch (IOException toldWhereItIsUsed) {
            return Optional.empty();
        }
    }

    private static Optional<String> openCode(String name, Path code) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(code);
            return mode.stream().anyMatch(WRITE::contains) && !isMountedReadOnly(code, mode)
                    ? Optional.of(("%s: %s has the mode %s, so other accounts may put code into this process; chmod go-w it, or mount it "
                            + "read-only").formatted(name, code, PosixFilePermissions.toString(mode)))
                    : Optional.empty();
        } catch (IOException | UnsupportedOperationException noSuchFileOrNoModes) {
            return Optional.empty();
        }
    }

    /** Whether its mode lets us write it, and yet we cannot. */
    private static boolean isMountedReadOnly(Path code, Set<PosixFilePermission> mode) throws IOException {
        int group = (int) Files.getAttribute(code, "unix:gid");
        PosixFilePermission ours = (int) Files.getAttribute(code, "unix:uid") == us() ? PosixFilePermission.OWNER_WRITE
                : groups().anyMatch(one -> one == group) ? PosixFilePermission.GROUP_WRITE : PosixFilePermission.OTHERS_WRITE;
        return mode.contains(ours) && !Files.isWritable(code);
    }

    static boolean isTooOpen(Set<PosixFilePermission> mode, long owner, long us) {
        return mode.stream().anyMatch(NEVER::contains) || mode.contains(PosixFilePermission.GROUP_READ) && owner == us && us != ROOT;
    }

    private static long us() {
        try {
            return new UnixSystem().getUid();
        } catch (LinkageError notUnix) {
            return ROOT;
        }
    }

    private static LongStream groups() {
        try {
            var account = new UnixSystem();
            return LongStream.concat(LongStream.of(account.getGid()), LongStream.of(account.getGroups()));
        } catch (LinkageError notUnix) {
            return LongStream.of();
        }
    }

    private static Properties read(Path file) {
        var properties = new Properties();
        try (Reader reader = TextFile.open(file)) {
            properties.load(reader);
        } catch (IOException | IllegalArgumentException toldWhereItIsUsed) {
            return new Properties();
        }
        return properties;
    }

    /** Each finding once per process. */
    static void warn(List<String> findings) {
        findings.stream().filter(WARNED::add)
                .forEach(finding -> LoggerFactory.getLogger(Exposure.class).warn("CHARGEONCE_INSECURE=yes allows this: {}", finding));
    }
}
