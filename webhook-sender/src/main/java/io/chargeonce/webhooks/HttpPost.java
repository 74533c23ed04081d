// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.webhooks;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
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
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManager;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.client5.http.ssl.TlsSocketStrategy;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.HttpEntity;
import org.apache.hc.core5.http.io.SocketConfig;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.util.Timeout;

/**
 * Posts to hosts that strangers choose: only to {@link Targets}, without redirects, cookies, a proxy or another try, with little of the
 * answer read, and within a time that a slow receiver cannot stretch. Any thread.
 */
final class HttpPost implements AutoCloseable {

    static final int MOST_OF_AN_ANSWER = 16 * 1024;
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);
    /** A connection that was idle for so long may be gone at the receiver. */
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(20);
    /** A name is asked for again at least so often. */
    private static final Duration LONGEST_CONNECTION = Duration.ofMinutes(2);

    private final Targets targets;
    private final Duration timeout;
    private final CloseableHttpClient client;
    private final ScheduledExecutorService deadlines;

    /** @param connections at least as many as there are tries at once: many endpoints may share a host, and none waits for another's */
    HttpPost(Targets targets, Duration timeout, int connections, TlsSocketStrategy tls) {
        this.targets = targets;
        this.timeout = timeout;
        Timeout most = Timeout.of(timeout);
        PoolingHttpClientConnectionManager pool = PoolingHttpClientConnectionManagerBuilder.create()
                .setDnsResolver(targets).setTlsSocketStrategy(tls)
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

    Answer post(String url, Map<String, String> headers, String body) {
        URI uri;
        try {
            uri = targets.checked(url);
            if ("http".equals(uri.getScheme()) && targets.leavesThisMachine(uri.getHost())) {
                return Answer.Failed.of("address_forbidden");
            }
        } catch (IllegalArgumentException notAllowedAnyMore) {
            return Answer.Failed.of("address_forbidden");
        } catch (UnknownHostException e) {
            return Answer.Failed.of("host_unknown");
        }
        var request = new HttpUriRequestBase("POST", uri);
        headers.forEach(request::setHeader);
        request.setEntity(new ByteArrayEntity(body.getBytes(StandardCharsets.UTF_8), ContentType.APPLICATION_JSON));
        ScheduledFuture<?> deadline = deadlines.schedule(request::cancel, timeout.toMillis(), TimeUnit.MILLISECONDS);
        try {
            return answer(client.execute(request, response -> {
                readSome(response.getEntity(), request);
                return response.getCode();
            }));
        } catch (IOException e) {
            return Answer.Failed.of(request.isCancelled() && !(e instanceof AnswerTooLong) ? "timed_out" : errorOf(e));
        } finally {
            deadline.cancel(false);
        }
    }

    private static Answer answer(int status) {
        return status >= 200 && status <= 299 ? new Answer.Delivered(status)
                : new Answer.Failed(OptionalInt.of(status), status >= 300 && status <= 399 ? "redirect" : "status_" + status);
    }

    /** The status is all that counts. A short answer is read, so that its connection can be used again; of a longer one the rest is cut. */
    private static void readSome(HttpEntity entity, HttpUriRequestBase request) throws IOException {
        if (entity == null) {
            return;
        }
        InputStream content = entity.getContent();
        if (content != null && content.readNBytes(MOST_OF_AN_ANSWER + 1).length > MOST_OF_AN_ANSWER) {
            // Closes the connection: otherwise the client would read on, to use it again.
            request.abort();
            throw new AnswerTooLong();
        }
    }

    private static final class AnswerTooLong extends IOException {

        private static final long serialVersionUID = 1;
    }

    private static String errorOf(IOException e) {
        return switch (e) {
            case Targets.Forbidden forbidden -> "address_forbidden";
            case UnknownHostException unknown -> "host_unknown";
            case AnswerTooLong tooLong -> "answer_too_long";
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
