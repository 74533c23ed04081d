// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.bank.BankFilesService;
import io.chargeonce.bank.calendar.Windows;
import io.chargeonce.charge.ChargeEngine;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.ingest.IngestSettings;
import io.chargeonce.load.game.SecretFiles;
import io.chargeonce.load.universe.kernel.Host;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.load.universe.kernel.SimulatedThread;
import io.chargeonce.load.universe.outside.BankModel;
import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.psp.adyen.AdyenSettings;
import io.chargeonce.psp.stripe.StripeSettings;
import io.chargeonce.notifications.receipt.ReceiptService;
import io.chargeonce.notifications.receipt.ReceiptSettings;
import io.chargeonce.runtime.Lifecycle;
import io.chargeonce.runtime.Meters;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.tracing.Tracing;
import io.chargeonce.notifications.webhook.WebhookService;
import io.chargeonce.notifications.webhook.WebhookSettings;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The services' processes: wired as they are shipped, started again when they have died. Only the strand that has the turn may call it. */
final class Cluster {

    static final Duration LEASE = Duration.ofSeconds(4);
    static final List<Duration> TIERS = List.of(Duration.ofMillis(300), Duration.ofMillis(600), Duration.ofSeconds(1));
    private static final List<Setting<?>> CATALOGUE = Stream.of(PipelineSettings.ALL, IngestSettings.ALL, ChargeSettings.ALL,
            WebhookSettings.ALL, ReceiptSettings.ALL)
            .flatMap(Collection::stream).distinct().toList();
    /** One for all universes: what is measured tells nothing here. */
    private static final Meters METERS = Meters.of("universe");

    private static final String RECEIPTS_FROM = "receipts@chargeonce.example";
    private static final String FETCHED_WHILE_FULL = "chargeonce.loop.fetched.while.full";
    /** A loop that ends, and so one whose process dies, takes its meters out. */
    private static double fetchedByTheDead;

    static {
        METERS.registry().config().onMeterRemoved(meter -> fetchedByTheDead +=
                meter instanceof Counter counter && meter.getId().getName().equals(FETCHED_WHILE_FULL) ? counter.count() : 0);
    }

    private static final Map<String, SimulatedPsp> byName = new LinkedHashMap<>();

    private enum Role { INGEST, CHARGE, RETRY, OPERATOR, WEBHOOKS, RECEIPTS, BANK_FILES }

    private Map<String, String> settings;
    private final List<SimulatedPsp> psps;
    private final Duration mostSkew;
    private final Map<String, Host> hosts = new LinkedHashMap<>();
    /** Which PSP processes that start now know nothing of, or empty. */
    private String absent = "";
    private boolean mixed;
    private boolean harsh;
    private boolean banked;
    /** Nobody works, and who has died waits until that is over. */
    private boolean stopped;
    private Optional<Windows> windows = Optional.empty();
    private final double fetchedWhileFullBefore = fetchedWhileFull();

    Cluster(SecretFiles secrets, boolean sweeping, List<SimulatedPsp> psps, Duration mostSkew) {
        this.psps = psps;
        this.mostSkew = mostSkew;
        var told = new HashMap<>(
                Map.of("CHARGEONCE_RETRY_TIERS", "300ms,600ms,1s", "CHARGEONCE_STRIPE_API_KEY_FILE", secrets.pspKey("stripe").toString(),
                        "CHARGEONCE_CLAIM_LEASE", LEASE.toSeconds() + "s", "CHARGEONCE_BREAKER_OPEN_FOR", "300ms",
                        "CHARGEONCE_RESOLVE_LADDER", "200ms,500ms",
                        "CHARGEONCE_SWEEP_AFTER", sweeping ? "2s" : "1d", "CHARGEONCE_CHARGE_IN_FLIGHT", "4", "CHARGEONCE_WEBHOOK_ADDRESS",
                        "127.0.0.1:1",
                        "CHARGEONCE_AUDIT_SEAL_EVERY", "1s", "CHARGEONCE_INSECURE", "yes"));
        told.putAll(
                Map.of("CHARGEONCE_ADYEN_API_KEY_FILE", secrets.pspKey("adyen").toString(), "CHARGEONCE_ADYEN_API_BASE", "http://adyen/v71",
                        "CHARGEONCE_ADYEN_MERCHANT_ACCOUNT", AdyenModel.ACCOUNT, "CHARGEONCE_DATA_KEY_FILE", secrets.dataKey().toString()));
        // Both PSPs know every card of the universes.
        told.put("CHARGEONCE_ROUTES", "method= -> stripe,adyen");
        told.putAll(senders());
        this.settings = Map.copyOf(told);
        byName.clear();
        psps.forEach(psp -> byName.put(psp.name, psp));
    }

    /** Webhooks and receipts die within seconds, and are never forgotten. */
    private static Map<String, String> senders() {
        String schedule = UniverseOutsiders.SCHEDULE.stream().map(pause -> pause.toMillis() + "ms").collect(Collectors.joining(","));
        return Map.of("CHARGEONCE_DELIVERY_SCHEDULE", schedule, "CHARGEONCE_DELIVERY_TIMEOUT", "1s", "CHARGEONCE_DELIVERY_SLOTS", "4",
                "CHARGEONCE_DELIVERY_PER_ENDPOINT", "2", "CHARGEONCE_DELIVERY_KEEP", "400d", "CHARGEONCE_SMTP_SERVER", "127.0.0.1:25",
                "CHARGEONCE_SMTP_TLS", "none", "CHARGEONCE_SMTP_TIMEOUT", "1s", "CHARGEONCE_RECEIPT_SCHEDULE", schedule,
                "CHARGEONCE_RECEIPT_FROM", RECEIPTS_FROM);
    }

    /** By the host that its gateway is set up with. */
    static SimulatedPsp psp(String name) {
        return byName.get(name);
    }

    /** Who takes webhooks. */
    List<Host> webhooks() {
        return alive().stream().filter(host -> SimulationHooks.inboxOf(host) != null).toList();
    }

    void start() {
        start("ingest-1", Role.INGEST);
        start("charge-1", Role.CHARGE);
        start("charge-2", Role.CHARGE);
        start("retry-1", Role.RETRY);
        if (Kernel.it().chance(0.5)) {
            start("retry-2", Role.RETRY);
        }
        if (Kernel.it().chance(0.4)) {
            start("operator-1", Role.OPERATOR);
            start("operator-2", Role.OPERATOR);
        }
    }

    void startSenders(boolean webhooks, boolean receipts) {
        if (webhooks) {
            start("webhooks-1", Role.WEBHOOKS);
            if (Kernel.it().chance(0.5)) {
                start("webhooks-2", Role.WEBHOOKS);
            }
        }
        if (receipts) {
            start("receipts-1", Role.RECEIPTS);
            if (Kernel.it().chance(0.3)) {
                start("receipts-2", Role.RECEIPTS);
            }
        }
    }

    /** Debits go to a bank. Before the start. */
    void bank(Windows itsWindows) {
        banked = true;
        windows = Optional.of(itsWindows);
        settings = Map.copyOf(with("CHARGEONCE_BANKS", BankModel.NAME));
        settings = Map.copyOf(with("CHARGEONCE_ROUTES", BankRail.ROUTE + "method= -> stripe,adyen"));
    }

    void startBankFiles() {
        start("bank-files-1", Role.BANK_FILES);
        if (Kernel.it().chance(0.5)) {
            start("bank-files-2", Role.BANK_FILES);
        }
    }

    private void start(String name, Role role) {
        Kernel kernel = Kernel.it();
        Duration skew = kernel.between(mostSkew.negated(), mostSkew);
        var host = new Host(name, skew);
        hosts.put(name, host);
        host.lastWill.add(() -> kernel.spawn(kernel.world(), "restart", () -> {
            kernel.sleep(kernel.between(Duration.ofMillis(100), Duration.ofSeconds(3)));
            kernel.await(() -> !stopped, SimulatedThread.NEVER);
            start(name, role);
        }));
        kernel.spawn(host, "main", () -> {
            switch (role) {
                case INGEST -> IngestService.start(read(IngestSettings.ALL).read(IngestSettings::from), METERS);
                case CHARGE -> {
                    ChargeEngine engine = engine(name);
                    engine.startCaretakers();
                    engine.startWebhooks();
                    engine.startLoop(0);
                }
                case OPERATOR -> UniverseOperator.work(harsh);
                case WEBHOOKS -> WebhookService.start(read(WebhookSettings.ALL).read(WebhookSettings::from), METERS);
                case RECEIPTS -> ReceiptService.start(read(ReceiptSettings.ALL).read(ReceiptSettings::from), METERS);
                case BANK_FILES -> BankFilesService
                        .start(BankRail.settings(read(PipelineSettings.ALL).read(PipelineSettings::from), windows.orElseThrow()), METERS);
                case RETRY -> {
                    ChargeEngine engine = engine(name);
                    for (int tier = 1; tier <= TIERS.size(); tier++) {
                        engine.startLoop(tier);
                    }
                }
            }
        });
    }

    private ChargeEngine engine(String name) {
        List<SimulatedPsp> present = psps.stream().filter(psp -> !psp.name.equals(absent)).toList();
        Map<String, String> own = mixed ? with("CHARGEONCE_ROUTES", (banked ? BankRail.ROUTE : "") + routes(present)) : settings;
        ChargeSettings read = ChargeSettings.read(own, CATALOGUE);
        List<Gateway> gateways = present.stream().map(psp -> SimulatedGateways.of(psp, apiKey(read, psp.name))).toList();
        return new ChargeEngine(read, gateways, METERS.registry(),
                Tracing.off(), new Lifecycle(name, Duration.ofSeconds(25)));
    }

    private static Supplier<String> apiKey(ChargeSettings settings, String psp) {
        PspSettings account = settings.psps().stream().filter(known -> known.name().equals(psp)).findFirst().orElseThrow();
        return switch (account) {
            case StripeSettings stripe -> stripe.apiKey();
            case AdyenSettings adyen -> adyen.apiKey();
            default -> throw new IllegalStateException("Bug! No such PSP: " + psp);
        };
    }

    /**
     * From the next start of a process on.
     *
     * @param psp   the PSP that is not set up; empty for none
     * @param other whether routes are set that differ from the rest's
     */
    void configure(String psp, boolean other) {
        absent = psp;
        mixed = other;
    }

    /** All processes die, and none starts before they may {@link #goOn}. */
    void stop() {
        stopped = true;
        alive().forEach(Kernel.it()::kill);
    }

    /** After a restore that lost rows, with what Adyen's reports say recorded. */
    void goOn(String askFirstUntil) {
        settings = Map.copyOf(with("CHARGEONCE_ASK_FIRST_UNTIL", askFirstUntil));
        settings = Map.copyOf(with("CHARGEONCE_ASK_FIRST_COMPARED", "adyen"));
        stopped = false;
    }

    /** Customers get receipts from us. Before the start. */
    void mailReceipts() {
        settings = Map.copyOf(with("CHARGEONCE_RECEIPTS", "chargeonce"));
    }

    /** People on call purge what is unresolved too. */
    void beHarsh() {
        harsh = true;
    }

    private Map<String, String> with(String name, String value) {
        var own = new HashMap<>(settings);
        own.put(name, value);
        return own;
    }

    private static String routes(List<SimulatedPsp> psps) {
        var names = new ArrayList<>(psps.stream().map(psp -> psp.name).toList());
        Collections.shuffle(names, new Random(Kernel.it().random().nextLong()));
        return "method= -> " + String.join(",", names);
    }

    private Settings read(Collection<Setting<?>> used) {
        return Settings.load(settings, used, CATALOGUE);
    }

    List<Host> alive() {
        return hosts.values().stream().filter(host -> host.alive).toList();
    }

    /** Who takes requests, if its HTTP side is up. */
    Optional<Host> ingest() {
        return alive().stream().filter(host -> SimulationHooks.doorOf(host) != null).findFirst();
    }

    private static double fetchedWhileFull() {
        return fetchedByTheDead + METERS.registry().find(FETCHED_WHILE_FULL).counters().stream().mapToDouble(Counter::count).sum();
    }

    /** Of this universe alone, as all its processes tell them together. */
    String metrics() {
        return FETCHED_WHILE_FULL.replace('.', '_') + "_total{} " + (fetchedWhileFull() - fetchedWhileFullBefore);
    }
}
