// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.bank;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.CopyOption;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.sshd.common.config.keys.AuthorizedKeyEntry;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.apache.sshd.common.file.virtualfs.VirtualFileSystemFactory;
import org.apache.sshd.common.session.helpers.AbstractSession;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.PublickeyAuthenticator;
import org.apache.sshd.server.keyprovider.SimpleGeneratorHostKeyProvider;
import org.apache.sshd.server.session.ServerSession;
import org.apache.sshd.sftp.server.FileHandle;
import org.apache.sshd.sftp.server.Handle;
import org.apache.sshd.sftp.server.SftpEventListener;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;

/** The bank's SFTP server on 127.0.0.1: a real one, with a key of its own, one user, and a disk and a line that can break. Any thread. */
final class SftpServer implements AutoCloseable {

    static final String USER = "chargeonce";
    static final String PASSWORD = "sandbox";

    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final SshServer server;
    private final Set<BankBehaviour> told = ConcurrentHashMap.newKeySet();

    private SftpServer(SshServer server) {
        this.server = server;
    }

    /** @param keys public keys of the user, as a file for OpenSSH has them; besides the password */
    static SftpServer start(int port, Path root, Path hostKey, List<String> keys) {
        var server = SshServer.setUpDefaultServer();
        var bank = new SftpServer(server);
        server.setHost("127.0.0.1");
        server.setPort(port);
        var hostKeys = new SimpleGeneratorHostKeyProvider(hostKey);
        hostKeys.setAlgorithm(KeyUtils.EC_ALGORITHM);
        hostKeys.setKeySize(256);
        server.setKeyPairProvider(hostKeys);
        server.setPasswordAuthenticator((user, password, session) -> user.equals(USER) && password.equals(PASSWORD));
        server.setPublickeyAuthenticator(authorized(keys));
        server.setFileSystemFactory(new VirtualFileSystemFactory(root));
        var sftp = new SftpSubsystemFactory.Builder().build();
        sftp.addSftpEventListener(bank.new Faults());
        server.setSubsystemFactories(List.of(sftp));
        try {
            server.start();
        } catch (IOException e) {
            throw new UncheckedIOException("the bank's SFTP server cannot listen on port " + port, e);
        }
        return bank;
    }

    private static PublickeyAuthenticator authorized(List<String> keys) {
        return (user, key, session) -> user.equals(USER) && keys.stream().anyMatch(line -> {
            try {
                return KeyUtils.compareKeys(AuthorizedKeyEntry.parseAuthorizedKeyEntry(line).resolvePublicKey(session, Map.of(),
                        PublicKeyEntryResolver.FAILING), key);
            } catch (IOException | GeneralSecurityException notAKey) {
                return false;
            }
        });
    }

    int port() {
        return server.getPort();
    }

    /** The line of a known_hosts file. */
    String knownHost() throws IOException {
        PublicKey key;
        try {
            key = server.getKeyPairProvider().loadKeys(null).iterator().next().getPublic();
        } catch (GeneralSecurityException bug) {
            throw new IllegalStateException("the bank's key cannot be read", bug);
        }
        return "[127.0.0.1]:%d %s".formatted(port(), PublicKeyEntry.toString(key));
    }

    void tell(BankBehaviour behaviour, boolean from) {
        if (from) {
            told.add(behaviour);
        } else {
            told.remove(behaviour);
        }
    }

    boolean isTold(BankBehaviour behaviour) {
        return told.contains(behaviour);
    }

    /** Each fault of the line happens once. */
    private final class Faults implements SftpEventListener {

        @Override
        public void opening(ServerSession session, String remoteHandle, Handle localHandle) throws IOException {
            if (isTold(BankBehaviour.PERMISSION_DENIED) && localHandle instanceof FileHandle file && isOurs(file.getFile())) {
                throw new AccessDeniedException(file.getFile().toString());
            }
        }

        @Override
        public void writing(ServerSession session, String remoteHandle, FileHandle localHandle, long offset, byte[] data, int dataOffset,
                            int dataLen)
                throws IOException {
            if (isTold(BankBehaviour.DISK_FULL)) {
                throw new IOException("No space left on device");
            }
        }

        @Override
        public void written(ServerSession session, String remoteHandle, FileHandle localHandle, long offset, byte[] data, int dataOffset,
                            int dataLen, Throwable thrown) {
            if (told.remove(BankBehaviour.CUT_AFTER_WRITE)) {
                session.close(true);
            }
        }

        /** As OpenSSH does it, and unlike the rename of POSIX. */
        @Override
        public void moving(ServerSession session, Path srcPath, Path dstPath, Collection<CopyOption> opts) throws IOException {
            if (Files.exists(dstPath)) {
                throw new FileAlreadyExistsException(dstPath.toString());
            }
        }

        @Override
        public void moved(ServerSession session, Path srcPath, Path dstPath, Collection<CopyOption> opts, Throwable thrown) {
            if (thrown == null && told.remove(BankBehaviour.CUT_AFTER_RENAME)) {
                session.close(true);
            }
        }

        private boolean isOurs(Path file) {
            return file.toString().contains(SandboxBank.FROM_CUSTOMERS) && file.toString().endsWith(".part");
        }
    }

    @Override
    public void close() {
        try {
            // A line that its client closes while the server stops makes the library throw in its own threads.
            for (AbstractSession session : server.getActiveSessions()) {
                session.close(true).await(PATIENCE);
            }
            server.stop(true);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
