// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe.outside;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.load.outside.HookEndpoint;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.SSLHandshakeException;
import org.apache.hc.client5.http.DnsResolver;
import org.apache.hc.client5.http.classic.methods.HttpUriRequestBase;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.io.HttpClientResponseHandler;
import org.apache.hc.core5.http.message.BasicClassicHttpResponse;

/**
 * Merchants' servers, which get webhooks and keep them. They stand at the place where the webhooks service hands a request to its HTTP
 * client. Only the strand that has the turn may call it.
 */
public final class ModelReceivers {

    /** How a server behaves. */
    public enum Mood {
        WELL(204), SAYS_500(500), SAYS_503_FOR_A_WHILE(503), SAYS_429(429), SAYS_410(410), REDIRECTS(307),
        /** Takes the request, and answers within seconds. */
        SLOW(200),
        /** Takes the request, and never answers. */
        HANGS(0),
        /** Takes the request, says so, and forgets it. */
        FORGETS(200),
        /** No connection. */
        REFUSES(0),
        /** Has another's certificate, or one that has ended. */
        HAS_A_WRONG_CERTIFICATE(0),
        /** Its name leads into our own network, alone or beside its address. */
        LEADS_INSIDE(0),
        BREAKS_BEFORE_IT_TAKES(0), BREAKS_AFTER_IT_TOOK(0);

        final int status;

        Mood(int status) {
            this.status = status;
        }

        boolean takes() {
            return this != REFUSES && this != BREAKS_BEFORE_IT_TAKES && this != HAS_A_WRONG_CERTIFICATE;
        }
    }

    public static final List<HookEndpoint> ENDPOINTS = HookEndpoint.ofTwo("shop-1", "shop-2");

    private static final String DOMAIN = ".example";
    private static final Duration FARTHEST = Duration.ofMillis(20);
    private static final Duration LONGEST_ANSWER = Duration.ofSeconds(3);
    private static final double TROUBLE = 0.25;
    private static final int MOST_SECONDS_TO_WAIT = 3;
    /** It ends everything for its endpoint. */
    private static final double GONE = 0.1;

    /** No request of ours may come there. */
    private static final String INSIDE = "10.0.0.5";

    private static ModelReceivers current;

    private final Map<String, Mood> moods = new HashMap<>();
    /** How often each has moved to another address. */
    private final Map<String, Integer> moves = new HashMap<>();
    /** What receivers have said they have, and have not. */
    private final Set<String> forgotten = new LinkedHashSet<>();
    /** The request whose address is being looked up meets a name that leads inside. */
    private boolean misled;
    private final List<ArrivalEvidence.Webhook> kept = new ArrayList<>();
    private boolean unkind;

    public void enter() {
        current = this;
    }

    public static ModelReceivers it() {
        return current;
    }

    public List<ArrivalEvidence.Webhook> kept() {
        return kept;
    }

    /** Whether single requests meet another mood than the server's own. */
    public void unkind(boolean areUnkind) {
        unkind = areUnkind;
    }

    public void mood(HookEndpoint endpoint, Mood mood) {
        moods.put(endpoint.id(), mood);
    }

    /** For good: at the old address nobody answers any more. */
    public void move(HookEndpoint endpoint) {
        moves.merge(endpoint.id(), 1, Integer::sum);
    }

    /** What merchants ask for once more, because they have said that they have it and have lost it. */
    public List<String> forgotten() {
        return List.copyOf(forgotten);
    }

    /** What a name leads to now. */
    public InetAddress[] addressesOf(String host) {
        InetAddress own = address(here(at(host)));
        InetAddress inside = address(INSIDE);
        return !misled ? new InetAddress[] {own}
                : Kernel.it().chance(0.5) ? new InetAddress[] {inside} : new InetAddress[] {inside, own};
    }

    private String here(HookEndpoint endpoint) {
        return "8.%d.%d.1".formatted(ENDPOINTS.indexOf(endpoint), moves.getOrDefault(endpoint.id(), 0));
    }

    private static InetAddress address(String literal) {
        try {
            return InetAddress.getByName(literal);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("Bug! No address: " + literal, e);
        }
    }

    public void allWell() {
        unkind = false;
        moods.clear();
    }

    public static Mood anyTrouble(Kernel kernel) {
        Mood drawn = Mood.values()[1 + kernel.random().nextInt(Mood.values().length - 1)];
        return drawn == Mood.SAYS_410 && !kernel.chance(GONE) ? Mood.SAYS_500 : drawn;
    }

    /**
     * One request, from its first byte to the end of its answer, or to its cancellation.
     *
     * @param names says the addresses to which the sender would connect
     */
    public Object receive(DnsResolver names, HttpUriRequestBase request, HttpClientResponseHandler<?> read) throws IOException {
        Kernel kernel = Kernel.it();
        kernel.point("before a webhook is sent");
        HookEndpoint endpoint = at(request.getAuthority().getHostName());
        Mood mood = unkind && kernel.chance(TROUBLE) ? anyTrouble(kernel) : moods.getOrDefault(endpoint.id(), Mood.WELL);
        wait(request, kernel.between(Duration.ZERO, FARTHEST));
        if (mood != Mood.WELL) {
            kernel.note("a receiver " + mood);
        }
        connect(endpoint, mood, resolved(names, request.getAuthority().getHostName(), mood));
        ArrivalEvidence.Webhook got = endpoint.read(name -> Optional.ofNullable(request.getFirstHeader(name)).map(Header::getValue),
                new String(request.getEntity().getContent().readAllBytes(), StandardCharsets.UTF_8));
        kept.add(mood == Mood.LEADS_INSIDE ? new ArrivalEvidence.Webhook(INSIDE, got.id(), got.body(), got.signed(), false) : got);
        if (mood == Mood.LEADS_INSIDE || mood == Mood.BREAKS_AFTER_IT_TOOK) {
            throw new SocketException("Connection reset");
        }
        if (mood == Mood.HANGS) {
            kernel.await(request::isCancelled, SimulatedThread.NEVER);
        } else if (mood == Mood.SLOW) {
            wait(request, kernel.between(Duration.ZERO, LONGEST_ANSWER));
        }
        requireInTime(request);
        if (mood == Mood.FORGETS) {
            forgotten.add(got.id());
        } else if (mood.status < 300) {
            forgotten.remove(got.id());
            kept.add(new ArrivalEvidence.Webhook(got.endpoint(), got.id(), got.body(), got.signed(), true));
        }
        kernel.point("before a webhook is answered");
        requireInTime(request);
        try {
            return read.handleResponse(answer(mood, kernel));
        } catch (HttpException e) {
            throw new IOException(e);
        }
    }

    /** The first address is the one that is used. */
    private InetAddress resolved(DnsResolver names, String host, Mood mood) throws UnknownHostException {
        misled = mood == Mood.LEADS_INSIDE;
        try {
            return names.resolve(host)[0];
        } finally {
            misled = false;
        }
    }

    private void connect(HookEndpoint endpoint, Mood mood, InetAddress address) throws IOException {
        if (mood == Mood.LEADS_INSIDE) {
            return;
        }
        if (mood == Mood.REFUSES || !address.equals(address(here(endpoint)))) {
            throw new ConnectException("Connection refused");
        }
        if (mood == Mood.HAS_A_WRONG_CERTIFICATE) {
            throw new SSLHandshakeException("PKIX path building failed");
        }
        if (!mood.takes()) {
            throw new SocketException("Connection reset");
        }
    }

    private static BasicClassicHttpResponse answer(Mood mood, Kernel kernel) {
        var answer = new BasicClassicHttpResponse(mood.status);
        if (mood == Mood.SAYS_429 || mood == Mood.SAYS_503_FOR_A_WHILE) {
            answer.setHeader("Retry-After", "" + (1 + kernel.random().nextInt(MOST_SECONDS_TO_WAIT)));
        }
        if (mood == Mood.REDIRECTS) {
            answer.setHeader("Location", "https://169.254.169.254/");
        }
        return answer;
    }

    private static void wait(HttpUriRequestBase request, Duration time) throws SocketException {
        Kernel.it().await(request::isCancelled, Kernel.it().after(time));
        requireInTime(request);
    }

    private static void requireInTime(HttpUriRequestBase request) throws SocketException {
        if (request.isCancelled()) {
            throw new SocketException("Socket closed");
        }
    }

    public static String url(HookEndpoint endpoint) {
        return "https://" + endpoint.name() + DOMAIN + "/hooks";
    }

    private static HookEndpoint at(String host) {
        return ENDPOINTS.stream().filter(known -> host.equals(known.name() + DOMAIN)).findFirst()
                .orElseThrow(() -> new IllegalStateException("Bug! A webhook goes to " + host));
    }
}
