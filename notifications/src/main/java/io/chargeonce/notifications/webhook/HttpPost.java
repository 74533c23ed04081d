// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import io.chargeonce.notifications.SendResult;
import io.chargeonce.notifications.SendResult.Result;
import io.chargeonce.text.RetryAfterHeader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.client5.http.config.ConnectionConfig;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.ManagedHttpClientConnectionFactory;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.HttpHost;
import org.apache.hc.core5.http.MessageConstraintException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Posts to hosts that strangers choose: only to {@link Targets}, without redirects, cookies, a proxy or another try, with little of the
 * answer read, and within a time that a slow receiver cannot stretch. Any thread.
 */
final class HttpPost implements AutoCloseable {

    static final int MOST_OF_AN_ANSWER = 16 * 1024;
    private static final Logger LOG = LoggerFactory.getLogger(HttpPost.class);
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);
    /** A connection that was idle for so long may be gone at the receiver. */
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(20);
    /** A name is asked for again at least so often. */
    private static final Duration LONGEST_CONNECTION = Duration.ofMinutes(2);

    private final Targets targets;
    private final Duration timeout;
    private final InstantSource clock;
    private final CloseableHttpClient client;
    private final ScheduledExecutorService deadlines;

    /** Under this name a connection's context has the request that opens it. */
    private static final String REQUEST = "chargeonce.request";
    private static final int TOO_MANY = 429;
    private static final int UNAVAILABLE = 503;
    /** The client has no limits of its own: endless headers would fill the memory. */
    private static final Http1Config SMALL_HEADERS =
            Http1Config.custom().setMaxLineLength(8 * 1024).setMaxHeaderCount(100).setMaxEmptyLineCount(10).build();

    /** @param connections at least as many as there are tries at once: many endpoints may share a host, and none waits for another's */
    HttpPost(Targets targets, Duration timeout, int connections, TlsSocketStrategy tls, InstantSource clock) {
        this.clock = clock;
        this.targets = targets;
        this.timeout = timeout;
        Timeout most = Timeout.of(timeout);
        PoolingHttpClientConnectionManager pool = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(targets).setTlsSocketStrategy(unlessTooLate(tls))
                .setConnectionFactory(ManagedHttpClientConnectionFactory.builder().http1Config(SMALL_HEADERS).build())
                .setMaxConnPerRoute(connections).setMaxConnTotal(connections)
                .setDefaultSocketConfig(SocketConfig.custom().setSoTimeout(most).build())
                .setDefaultConnectionConfig(ConnectionConfig.custom()
                        .setConnectTimeout(Timeout.of(LONGEST_CONNECT.compareTo(timeout) < 0 ? LONGEST_CONNECT : timeout))
                        .setSocketTimeout(most).setTimeToLive(Timeout.of(LONGEST_CONNECTION))
                        .setIdleTimeout(Timeout.of(LONGEST_IDLE)).build())
                .build();
        this.client = HttpClients.custom().setConnectionManager(pool)
                .setDefaultRequestConfig(RequestConfig.custom().setConnectionRequestTimeout(most).setResponseTimeout(most).build())
                .disableRedirectHandling().disableCookieManagement().disableAuthCaching().disableAutomaticRetries()
                .disableContentCompression().setUserAgent("Chargeonce-Webhooks/1").build();
        this.deadlines = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("webhook-deadlines").factory());
    }

    SendResult post(String url, Map<String, String> headers, String body) {
        URI uri;
        try {
            uri = targets.checked(url);
        } catch (IllegalArgumentException notAllowedAnyMore) {
            return SendResult.of(Result.FAILED, "address_forbidden");
        }
        var request = new HttpUriRequestBase("POST", uri);
        headers.forEach(request::setHeader);
        request.setEntity(new ByteArrayEntity(body.getBytes(StandardCharsets.UTF_8), ContentType.APPLICATION_JSON));
        // From here on, because looking up a name can take long too.
        ScheduledFuture<?> deadline = deadlines.schedule(request::cancel, timeout.toMillis(), TimeUnit.MILLISECONDS);
        try {
            var context = HttpClientContext.create();
            context.setAttribute(REQUEST, request);
            return exchange(target(uri), request, context, response -> {
                SendResult answer = answer(response);
                readSome(response.getEntity(), request, answer);
                return answer;
            });
        } catch (AnswerTooLong cut) {
            return cut.answer;
        } catch (IOException e) {
            return SendResult.of(Result.FAILED, request.isCancelled() ? "timed_out" : errorOf(e));
        } catch (RuntimeException e) {
            // The client answers so to a cancellation while it looks up a name, and to an answer that it cannot hold, such as status 000.
            if (request.isCancelled()) {
                return SendResult.of(Result.FAILED, "timed_out");
            }
            LOG.error("The HTTP client cannot go on with {}, so this try has failed: {}", uri.getHost(), e.toString());
            return SendResult.of(Result.FAILED, "internal_error");
        } finally {
            deadline.cancel(false);
        }
    }

    /** All that leaves the process. A simulation has another in its place. */
    SendResult exchange(HttpHost target, HttpUriRequestBase request, HttpClientContext context, HttpClientResponseHandler<SendResult> read)
            throws IOException {
        return client.execute(target, request, context, read);
    }

    /**
     * If the time ended while a name was looked up, the cancellation found no socket to close. Then nothing would end a handshake that a
     * receiver draws out.
     */
    private static TlsSocketStrategy unlessTooLate(TlsSocketStrategy tls) {
        return (socket, host, port, attachment, context) -> {
            if (context.getAttribute(REQUEST) instanceof HttpUriRequestBase request && request.isCancelled()) {
                socket.close();
                throw new InterruptedIOException("the time of this try is over");
            }
            return tls.upgrade(socket, host, port, attachment, context);
        };
    }

    /** Of http the checked address itself, so that a second look-up cannot lead it off this machine. */
    private HttpHost target(URI uri) throws UnknownHostException {
        return "http".equals(uri.getScheme())
                ? new HttpHost(uri.getScheme(), targets.onThisMachine(uri.getHost()), uri.getHost(), uri.getPort() < 0 ? 80 : uri.getPort())
                : new HttpHost(uri.getScheme(), uri.getHost(), uri.getPort());
    }

    private SendResult answer(ClassicHttpResponse response) {
        int status = response.getCode();
        return status >= 200 && status <= 299 ? SendResult.delivered(status)
                : new SendResult(Result.FAILED, OptionalInt.of(status),
                        Optional.of(status >= 300 && status <= 399 ? "redirect" : "status_" + status),
                        status == TOO_MANY || status == UNAVAILABLE ? retryAfter(response) : Optional.empty());
    }

    private Optional<Duration> retryAfter(ClassicHttpResponse response) {
        return Optional.ofNullable(response.getFirstHeader("Retry-After")).map(Header::getValue)
                .flatMap(value -> RetryAfterHeader.parse(value, clock.instant()));
    }

    /** The status is all that counts. A short answer is read, so that its connection can be used again; of a longer one the rest is cut. */
    private static void readSome(HttpEntity entity, HttpUriRequestBase request, SendResult answer) throws IOException {
        InputStream content = entity == null ? null : entity.getContent();
        if (content != null && content.readNBytes(MOST_OF_AN_ANSWER + 1).length > MOST_OF_AN_ANSWER) {
            // Closes the connection: otherwise the client would read on, to use it again.
            request.abort();
            throw new AnswerTooLong(answer);
        }
    }

    private static final class AnswerTooLong extends IOException {

        private static final long serialVersionUID = 1;
        private final transient SendResult answer;

        AnswerTooLong(SendResult answer) {
            this.answer = answer;
        }
    }

    private static String errorOf(IOException e) {
        return switch (e) {
            case Targets.Forbidden forbidden -> "address_forbidden";
            case UnknownHostException unknown -> "host_unknown";
            case MessageConstraintException tooLong -> "headers_too_long";
            case SSLException tls -> "tls_failed";
            case SocketTimeoutException slow -> "timed_out";
            case InterruptedIOException slow -> "timed_out";
            case ConnectException refused -> "connection_refused";
            default -> "connection_broke";
        };
    }

    @Override
    public void close() throws IOException {
        deadlines.shutdownNow();
        client.close();
    }
}
