// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.sftp;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where a bank's server is, and how we show who we are: by a password or by a key, each in a file that is read at every log-in.
 *
 * @param knownHosts the server's key, as OpenSSH keeps it; another key is never talked to
 * @param out        the directory that takes our files
 * @param in         the directory with the bank's files
 * @param timeout    of one exchange
 */
public record SftpPlace(String host, int port, String user, Optional<Path> passwordFile, Optional<Path> keyFile, Path knownHosts,
        String out,
        String in, Duration timeout) {

    public SftpPlace {
        if (passwordFile.isEmpty() && keyFile.isEmpty()) {
            throw new IllegalArgumentException("a bank needs password.file or key.file");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port is 1 to 65535");
        }
    }
}
