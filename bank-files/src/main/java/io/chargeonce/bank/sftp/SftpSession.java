// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.sftp;

import io.chargeonce.text.TextFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.keyverifier.KnownHostsServerKeyVerifier;
import org.apache.sshd.client.keyverifier.RejectAllServerKeyVerifier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.AttributeRepository.AttributeKey;
import org.apache.sshd.common.future.CancelOption;
import org.apache.sshd.common.keyprovider.FileKeyPairProvider;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.apache.sshd.sftp.common.SftpConstants;
import org.apache.sshd.sftp.common.SftpException;

/** A session over SFTP. For one thread. */
public final class SftpSession implements BankSession {

    private static final int MOST_FILES = 10_000;
    private static final AttributeKey<Path> KNOWN_HOSTS = new AttributeKey<>();

    /**
     * One for each timeout, for as long as the process lives: a client that is stopped while the server closes the line throws in its own
     * threads.
     */
    private static final Map<Duration, SshClient> CLIENTS = new ConcurrentHashMap<>();

    private final ClientSession session;
    private final SftpClient sftp;
    private final SftpPlace place;

    private SftpSession(ClientSession session, SftpClient sftp, SftpPlace place) {
        this.session = session;
        this.sftp = sftp;
        this.place = place;
    }

    /** @throws IOException if the server cannot be reached, has another key, or refuses us */
    public static BankSession open(SftpPlace place) throws IOException {
        SshClient client = CLIENTS.computeIfAbsent(place.timeout(), SftpSession::start);
        var connecting = client.connect(place.user(), place.host(), place.port(), AttributeRepository.ofKeyValuePair(KNOWN_HOSTS,
                place.knownHosts()), null);
        ClientSession session = connecting.verify(place.timeout(), CancelOption.CANCEL_ON_TIMEOUT).getSession();
        try {
            if (place.keyFile().isPresent()) {
                new FileKeyPairProvider(place.keyFile().get()).loadKeys(session).forEach(session::addPublicKeyIdentity);
            }
            if (place.passwordFile().isPresent()) {
                session.addPasswordIdentity(TextFile.read(place.passwordFile().get()).strip());
            }
            session.auth().verify(place.timeout());
            return new SftpSession(session, SftpClientFactory.instance().createSftpClient(session), place);
        } catch (IOException | RuntimeException e) {
            session.close(true);
            throw e instanceof IOException io ? io : new IOException(e);
        }
    }

    private static SshClient start(Duration timeout) {
        SshClient client = SshClient.setUpDefaultClient();
        // Neither a person's own keys nor a person's own known hosts.
        client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
        client.setKeyIdentityProvider(KeyIdentityProvider.EMPTY_KEYS_PROVIDER);
        client.setServerKeyVerifier((session, address, key) -> new KnownHostsServerKeyVerifier(RejectAllServerKeyVerifier.INSTANCE,
                session.getConnectionContext().getAttribute(KNOWN_HOSTS)).verifyServerKey(session, address, key));
        CoreModuleProperties.IDLE_TIMEOUT.set(client, timeout.multipliedBy(2));
        CoreModuleProperties.NIO2_READ_TIMEOUT.set(client, timeout);
        client.start();
        return client;
    }

    @Override
    public OptionalLong size(String name) throws IOException {
        try {
            return OptionalLong.of(sftp.stat(out(name)).getSize());
        } catch (SftpException e) {
            if (e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE) {
                return OptionalLong.empty();
            }
            throw e;
        }
    }

    @Override
    public OutputStream write(String name) throws IOException {
        return sftp.write(out(name), EnumSet.of(SftpClient.OpenMode.Write, SftpClient.OpenMode.Create, SftpClient.OpenMode.Truncate));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        sftp.rename(out(from), out(to));
    }

    @Override
    public void removeOurs(String name) throws IOException {
        sftp.remove(out(name));
    }

    @Override
    public List<Found> list() throws IOException {
        var found = new ArrayList<Found>();
        for (SftpClient.DirEntry file : sftp.readDir(place.in())) {
            String name = file.getFilename();
            if (file.getAttributes().isRegularFile() && !isTemporary(name) && found.size() < MOST_FILES) {
                found.add(found(name, file.getAttributes()));
            }
        }
        return found;
    }

    private static Found found(String name, SftpClient.Attributes attributes) {
        FileTime modified = attributes.getModifyTime();
        return new Found(name, attributes.getSize(), modified == null ? Instant.EPOCH : modified.toInstant());
    }

    @Override
    public boolean isAnother(Found file) throws IOException {
        try {
            Found there = found(file.name(), sftp.stat(in(file.name())));
            // Some servers list no times.
            return there.size() != file.size() || !file.modified().equals(Instant.EPOCH) && !there.modified().equals(file.modified());
        } catch (SftpException e) {
            if (e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE) {
                return false;
            }
            throw e;
        }
    }

    private static boolean isTemporary(String name) {
        return name.startsWith(".") || name.endsWith(".part") || name.endsWith(".tmp") || name.endsWith(".filepart");
    }

    @Override
    public InputStream read(String name) throws IOException {
        return sftp.read(in(name));
    }

    @Override
    public void removeTheirs(String name) throws IOException {
        try {
            sftp.remove(in(name));
        } catch (SftpException e) {
            if (e.getStatus() != SftpConstants.SSH_FX_NO_SUCH_FILE) {
                throw e;
            }
        }
    }

    @Override
    public boolean isOpen() {
        return sftp.isOpen();
    }

    private String out(String name) {
        return place.out() + "/" + name;
    }

    private String in(String name) {
        return place.in() + "/" + name;
    }

    @Override
    public void close() {
        try (session; sftp) {
            // Each closes even if another does not.
        } catch (IOException gone) {
            // The server may have closed it.
        }
    }
}
