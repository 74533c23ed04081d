// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import io.chargeonce.runtime.ClientNetwork;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.task.InterruptableTask;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderValues;
import io.helidon.http.Headers;
import io.helidon.http.HttpPrologue;
import io.helidon.http.RequestException;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1ConnectionListener;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/**
 * Speaks HTTP/1.1 as the web server does, with four differences. The deadline of a head begins with its first byte, over HTTPS with the
 * handshake. One {@linkplain ClientNetwork network} has at most three quarters of all connections: one hostile client cannot lock out
 * the others, and a proxy, whose address all clients share, needs no setting. A connection really ends after a request or an answer
 * with {@code Connection: close}. And some requests that the web server takes are not HTTP: {@link BoundedReader} refuses them. {@link
 * Http10} adds the older version.
 */
record BoundedRequests(Http1ConnectionSelector http1, SlowHeads heads, Seats addresses, byte[] tooMany,
        Counter refused) implements ServerConnectionSelector {

    @Override
    public int bytesToIdentifyConnection() {
        return http1.bytesToIdentifyConnection();
    }

    @Override
    public Support supports(BufferData data) {
        return http1.supports(data);
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return http1.supportedApplicationProtocols();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        String address = ClientNetwork.of(context.remotePeer().address()).name();
        if (!addresses.take(address)) {
            refused.increment();
            throw refusal(context);
        }
        if (context.isSecure()) {
            heads.begin();
        }
        var reader = new BoundedReader(context.dataReader(), heads);
        ServerConnection connection = http1.connection(new Bounded(context, reader));
        reader.isReadBy(connection);
        return new Counted(connection, () -> addresses.giveBack(address));
    }

    /** Over HTTPS there is no answer, for that would take a handshake. */
    private CloseConnectionException refusal(ConnectionContext context) {
        if (!context.isSecure()) {
            context.dataWriter().writeNow(BufferData.create(tooMany));
        }
        return new CloseConnectionException("this address has too many connections");
    }

    /** Notices requests after which the connection ends. One listener for both: the web server calls no second one with the headers. */
    static Http1ConnectionListener listener(SlowHeads heads) {
        return new Http1ConnectionListener() {
            @Override
            public void prologue(ConnectionContext connection, HttpPrologue prologue) {
                heads.prologue(connection, prologue);
            }

            @Override
            public void headers(ConnectionContext connection, Headers headers) {
                heads.headers(connection, headers);
                endIfAsked(connection, headers);
            }
        };
    }

    /** Notices answers after which the connection ends: what follows may be the rest of a body, and is no request. */
    static Http1ConnectionListener ofAnswers() {
        return new Http1ConnectionListener() {
            @Override
            public void headers(ConnectionContext connection, Headers headers) {
                endIfAsked(connection, headers);
            }
        };
    }

    private static void endIfAsked(ConnectionContext connection, Headers headers) {
        if (headers.containsToken(HeaderValues.CONNECTION_CLOSE) && connection.dataReader() instanceof BoundedReader reader) {
            reader.noMoreRequests();
        }
    }

    /** The connection ends with it: a proxy before us may read what follows in another way. */
    static RequestException noHttp(String why) {
        return RequestException.builder().type(DirectHandler.EventType.BAD_REQUEST).message(why).setKeepAlive(false).build();
    }

    /** The same connection, which calls back when it is over. */
    private record Counted(ServerConnection connection, Runnable over) implements ServerConnection, InterruptableTask<Void> {

        @Override
        public void handle(Limit limit) throws InterruptedException {
            try {
                connection.handle(limit);
            } finally {
                over.run();
            }
        }

        @Override
        public Duration idleTime() {
            return connection.idleTime();
        }

        @Override
        public void close(boolean interrupt) {
            connection.close(interrupt);
        }

        @Override
        public boolean canInterrupt() {
            return connection instanceof InterruptableTask<?> task && task.canInterrupt();
        }

        @Override
        public Void call() {
            throw new UnsupportedOperationException("Bug! A connection is handled and not called");
        }
    }

    /** The same connection, read through the bounded reader. */
    private record Bounded(ConnectionContext all, DataReader dataReader) implements ConnectionContext {

        @Override
        public ListenerContext listenerContext() {
            return all.listenerContext();
        }

        @Override
        public ExecutorService executor() {
            return all.executor();
        }

        @Override
        public io.helidon.common.buffers.DataWriter dataWriter() {
            return all.dataWriter();
        }

        @Override
        public Router router() {
            return all.router();
        }

        @Override
        public Optional<ProxyProtocolData> proxyProtocolData() {
            return all.proxyProtocolData();
        }

        @Override
        public HelidonSocket serverSocket() {
            return all.serverSocket();
        }

        @Override
        public PeerInfo remotePeer() {
            return all.remotePeer();
        }

        @Override
        public PeerInfo localPeer() {
            return all.localPeer();
        }

        @Override
        public boolean isSecure() {
            return all.isSecure();
        }

        @Override
        public String socketId() {
            return all.socketId();
        }

        @Override
        public String childSocketId() {
            return all.childSocketId();
        }
    }
}
