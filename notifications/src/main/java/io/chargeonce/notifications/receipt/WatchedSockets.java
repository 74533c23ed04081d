// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import javax.net.ssl.SSLSocketFactory;

/**
 * Remembers the socket of a connection, so that another thread can close it when the time for a message is over: the library's own limits
 * are for one read or write each, and a server that sends a byte now and then never reaches them.
 */
final class WatchedSockets extends SocketFactory {

    private volatile Socket latest = plain();
    private volatile boolean isCut;

    /** A new message begins, with its own time. */
    void begin() {
        isCut = false;
    }

    @Override
    public Socket createSocket() throws IOException {
        latest = plain();
        if (isCut) {
            // The look-up of the name alone took too long.
            latest.close();
        }
        return latest;
    }

    /** All that leaves the process. A simulation has another in its place. */
    static Socket plain() {
        return new Socket();
    }

    /** Ends whatever is under way. */
    void cut() {
        isCut = true;
        try {
            latest.close();
        } catch (IOException e) {
            // It is of no use any more, which was the purpose.
            return;
        }
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw notUsed();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw notUsed();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw notUsed();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw notUsed();
    }

    private static UnsupportedOperationException notUsed() {
        return new UnsupportedOperationException("Bug! The mail library connects sockets itself");
    }

    /** The same for TLS: a plain socket, which is remembered, and TLS over it. */
    SSLSocketFactory over(SSLSocketFactory tls) {
        return new Tls(tls);
    }

    private final class Tls extends SSLSocketFactory {

        private final SSLSocketFactory tls;

        Tls(SSLSocketFactory tls) {
            this.tls = tls;
        }

        @Override
        public Socket createSocket() throws IOException {
            return WatchedSockets.this.createSocket();
        }

        @Override
        public Socket createSocket(Socket socket, String host, int port, boolean autoClose) throws IOException {
            return tls.createSocket(socket, host, port, autoClose);
        }

        @Override
        public String[] getDefaultCipherSuites() {
            return tls.getDefaultCipherSuites();
        }

        @Override
        public String[] getSupportedCipherSuites() {
            return tls.getSupportedCipherSuites();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw notUsed();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
            throw notUsed();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw notUsed();
        }

        @Override
        public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
            throw notUsed();
        }
    }
}
