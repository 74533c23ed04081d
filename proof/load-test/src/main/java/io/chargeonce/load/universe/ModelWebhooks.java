// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.Killed;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The PSPs' signed webhooks: late, twice, in any order, and sometimes lost where the webhook is only a hint. */
final class ModelWebhooks {

    static final String STRIPE_SECRET = "whsec_simulated";
    static final String ADYEN_KEY = "00112233445566778899AABBCCDDEEFF";

    private static final Duration SOON = Duration.ofMillis(300);
    private static final Duration LATE = Duration.ofSeconds(20);
    private static final int MOST_HINTS = 4;

    private final Supplier<List<Host>> receivers;
    private boolean unkind;
    private int sent;
    private int onTheirWay;

    /** @param receivers the processes that take webhooks now */
    ModelWebhooks(Supplier<List<Host>> receivers) {
        this.receivers = receivers;
    }

    /** Whether they come late, twice, or not at all. */
    void unkind(boolean areUnkind) {
        unkind = areUnkind;
    }

    /** A hint: what is believed is what Stripe answers when it is asked. But nothing else tells of a late failure or of a dispute. */
    void stripe(String type, Map<String, Object> object) {
        byte[] body = SimulatedPsp.JSON
                .writeValueAsBytes(Map.of("id", "evt_" + ++sent, "object", "event", "type", type, "data", Map.of("object", object)));
        boolean isAllThatTells = type.equals("refund.failed") || type.startsWith("charge.dispute.");
        post("stripe", isAllThatTells ? Integer.MAX_VALUE : MOST_HINTS, () -> Map.of("Stripe-Signature", signed(body)), body);
    }

    private static String signed(byte[] body) {
        long at = Kernel.it().truth().getEpochSecond();
        byte[] mac = mac(STRIPE_SECRET.getBytes(StandardCharsets.UTF_8), at + "." + new String(body, StandardCharsets.UTF_8));
        return "t=" + at + ",v1=" + HexFormat.of().formatHex(mac);
    }

    void adyen(String event, String psp, String original, String key, long amount, String currency, boolean success, String reason) {
        String signed =
                String.join(":", psp, original, AdyenModel.ACCOUNT, key, Long.toString(amount), currency, event, Boolean.toString(success));
        String signature = Base64.getEncoder().encodeToString(mac(HexFormat.of().parseHex(ADYEN_KEY), signed));
        Map<String, Object> item = Map.ofEntries(Map.entry("additionalData", Map.of("hmacSignature", signature)),
                Map.entry("amount", Map.of("currency", currency, "value", amount)), Map.entry("eventCode", event),
                Map.entry("eventDate", "2020-01-01T00:00:00+01:00"), Map.entry("merchantAccountCode", AdyenModel.ACCOUNT),
                Map.entry("merchantReference", key), Map.entry("originalReference", original), Map.entry("paymentMethod", "visa"),
                Map.entry("pspReference", psp), Map.entry("reason", reason), Map.entry("success", Boolean.toString(success)));
        byte[] body =
                SimulatedPsp.JSON
                        .writeValueAsBytes(Map.of("live", "false", "notificationItems", List.of(Map.of("NotificationRequestItem", item))));
        post("adyen", Integer.MAX_VALUE, Map::of, body);
    }

    /** Whether all that come for certain have come. */
    boolean areDelivered() {
        return onTheirWay == 0;
    }

    private void post(String psp, int most, Supplier<Map<String, String>> headers, byte[] body) {
        Kernel kernel = Kernel.it();
        int times = unkind && kernel.chance(0.3) ? 2 : 1;
        for (int i = 0; i < times; i++) {
            Duration after = kernel.between(Duration.ZERO, unkind && kernel.chance(0.4) ? LATE : SOON);
            boolean isCertain = most == Integer.MAX_VALUE;
            boolean never = unkind && !isCertain && kernel.chance(0.3);
            if (!never) {
                onTheirWay += isCertain ? 1 : 0;
                kernel.spawn(kernel.world(), "webhook", () -> {
                    kernel.sleep(after);
                    deliver(psp, most, headers, body);
                    onTheirWay -= isCertain ? 1 : 0;
                });
            }
        }
    }

    private void deliver(String psp, int most, Supplier<Map<String, String>> headers, byte[] body) {
        Kernel kernel = Kernel.it();
        for (int i = 0; i < most; i++) {
            List<Host> open = receivers.get();
            if (!open.isEmpty() && isTaken(open.get(kernel.random().nextInt(open.size())), psp, headers.get(), body)) {
                return;
            }
            kernel.sleep(kernel.between(Duration.ofSeconds(1), Duration.ofSeconds(4)));
        }
    }

    private static boolean isTaken(Host host, String psp, Map<String, String> headers, byte[] body) {
        Kernel kernel = Kernel.it();
        var taken = new boolean[1];
        SimulatedThread request = kernel.spawn(host, "webhook", () -> {
            try {
                Object answer = Inbox.TAKE.invoke(SimulationHooks.inboxOf(host), psp,
                        (Function<String, Optional<String>>) name -> Optional.ofNullable(headers.get(name)), body);
                taken[0] = answer.toString().equals("YES");
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Killed killed) {
                    throw killed;
                }
                kernel.note("a webhook was not taken");
            } catch (IllegalAccessException e) {
                throw new IllegalStateException(e);
            }
        });
        kernel.await(() -> request.ended, kernel.after(Duration.ofSeconds(10)));
        return taken[0];
    }

    private static byte[] mac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Bug! Every Java has HmacSHA256", e);
        }
    }

    /** The charge service's own, which otherwise only its HTTP side may call. */
    private static final class Inbox {

        static final Method TAKE = take();

        private static Method take() {
            try {
                Method take =
                        Class.forName("io.chargeonce.charge.webhook.WebhookInbox").getDeclaredMethod("take", String.class, Function.class,
                                byte[].class);
                take.setAccessible(true);
                return take;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Bug! The charge service takes webhooks otherwise now", e);
            }
        }
    }
}
