// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.charge;

import io.chargeonce.audit.AuditKeys;
import io.chargeonce.audit.AuditSealer;
import io.chargeonce.payment.Rail;
import io.chargeonce.psp.Gateway;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.route.Routes;
import io.chargeonce.psp.PspProviders;
import io.chargeonce.psp.PspSettings;
import io.chargeonce.psp.stripe.StripeProvider;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.vault.Vault;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * How attempts are made, watched and repeated. Immutable.
 *
 * @param psps        the accounts at PSPs, in the order of preference without routes
 * @param banks       the accounts at banks, which get their payments in files
 * @param ourReceipts whether the receipts service mails receipts
 * @param settlementKeys what marks the lines of settlement reports that are believed without asking
 * @param lostRows what a restore has lost, and until when PSPs are asked because of it
 * @param providers the PSPs at which accounts may be
 */
public record ChargeSettings(PipelineSettings pipeline, List<PspSettings> psps, int inFlight, Duration lease,
        Duration breakerOpenFor, List<Duration> queries, Duration sweepAfter, Optional<Routes> routes,
        Pace pace, Optional<Address> webhooks, AuditSealer.Settings seals, Vault vault,
        boolean ourReceipts, SettlementKeys settlementKeys, List<String> banks,
        LostRows lostRows, PspProviders providers) {

    public static final Setting<Duration> PSP_TIMEOUT = Setting.duration("CHARGEONCE_PSP_TIMEOUT",
            "How long one exchange with a PSP may take, including its body.").between("100ms", "2m").orElse("20s");
    public static final Setting<Integer> IN_FLIGHT = Setting.integer("CHARGEONCE_CHARGE_IN_FLIGHT",
            "How many payments each loop works on at once; a quarter more are kept for merchants that have few.")
            .between("1", "20000").orElse("2000");
    public static final Setting<Duration> LEASE = Setting.duration("CHARGEONCE_CLAIM_LEASE",
            "How long a claim holds an attempt; must be longer than all its exchanges with the PSP together.")
            .between("1s", "1h").orElse("3m");
    public static final Setting<Duration> BREAKER_OPEN_FOR = Setting.duration("CHARGEONCE_BREAKER_OPEN_FOR",
            "How long an unwell PSP gets no payments before one payment probes it.").between("100ms", "1h").orElse("10s");
    public static final Setting<List<Duration>> STATUS_QUERIES = Setting.durations("CHARGEONCE_RESOLVE_LADDER",
            "The pauses between status queries about an unknown outcome; the last one repeats.").orElse("5s,30s,2m,10m,1h,6h,24h");
    public static final Setting<Duration> SWEEP_AFTER = Setting.duration("CHARGEONCE_SWEEP_AFTER",
            "How long work may be overdue before the sweeper checks whether Kafka lost it.").between("1s", "1d").orElse("2m");

    public static final Setting<Optional<String>> PSPS = Setting.string(PspList.SETTING,
            "More accounts at PSPs: 'stripe-uk key=FILE; adyen-us key=FILE account=Us', each with base=URL and webhooks=FILE if needed. "
                    + "The files hold the same as those of Stripe's and Adyen's settings. A plugin says what its entries hold.")
            .optional();
    public static final Setting<Optional<String>> ROUTES = Setting.string("CHARGEONCE_ROUTES",
            "Which PSPs take which payments: 'currency=EUR amount<=10000 -> adyen:3,stripe:1; -> stripe,adyen'. "
                    + "Without it, all PSPs in the order of their settings, then all banks. A raw token goes only to the first PSP, unless "
                    + "the rule names tokens by 'method=' and a prefix.")
            .optional();

    public static final Setting<Optional<Address>> WEBHOOK_ADDRESS = Setting.address("CHARGEONCE_WEBHOOK_ADDRESS",
            "The address for PSPs' webhooks, POST /v1/webhooks/stripe, /adyen or another account's name; put a proxy with TLS before it.")
            .optional();
    public static final Setting<ReceiptSender> RECEIPTS = Setting.oneOf("CHARGEONCE_RECEIPTS", ReceiptSender.class,
            "Who sends receipts: with psp, Stripe gets receipt_email and sends one; with merchant, no PSP gets the address; with "
                    + "chargeonce, the receipts service mails them.")
            .orElse("psp");

    public static final Setting<Integer> TIER_RELEASE_RATE = Setting.integer("CHARGEONCE_TIER_RELEASE_RATE",
            "How many records per second a retry tier's loop starts at most; N records due at once take N / rate seconds.")
            .between("1", "1000000").orElse("2000");
    public static final Setting<Optional<String>> QUOTAS = Setting.string("CHARGEONCE_PSP_QUOTAS",
            "How many payments per second all processes together send to a PSP at most: 'stripe=40,adyen=100'. A payment at Stripe is "
                    + "two requests, and status queries come on top. The same for all charge and retry services.")
            .optional();
    public static final Setting<Integer> FLOOD_RATE = Setting.integer("CHARGEONCE_FLOOD_RATE",
            "How many records per second go on while nearly all end as dead letters; 0 sets no limit.")
            .between("0", "1000").orElse("10");
    public static final Setting<Integer> BUFFER_MIB = Setting.integer("CHARGEONCE_BUFFER_MIB",
            "How many MiB of fetched records this process holds at most, all its loops and partitions together.")
            .between("8", "65536").orElse("128");

    /**
     * Limits of speed and memory.
     *
     * @param tierReleases records per second that a tier's loop starts
     * @param inAFlood     records per second that go on while nearly all end as dead letters; 0 is no limit
     * @param bufferMib    MiB of fetched records in all
     * @param quotas       by PSP: payments per second of all processes together
     */
    public record Pace(int tierReleases, int inAFlood, int bufferMib, Map<String, Integer> quotas) {
        public static final Pace USUAL = new Pace(2_000, 10, 128, Map.of());

        public Pace {
            quotas = Map.copyOf(quotas);
        }
    }

    public static final Setting<Optional<String>> COMPARED = Setting.string("CHARGEONCE_ASK_FIRST_COMPARED",
            "With CHARGEONCE_ASK_FIRST_UNTIL: the PSPs that cannot be queried about a payment, and whose reports of the lost time are "
                    + "recorded: 'adyen,adyen-us'. Payments that may be at any other such PSP wait.")
            .optional();

    /**
     * After a restore to an earlier time.
     *
     * @param until    until when PSPs are asked about a payment before each of its attempts; empty if nothing was lost
     * @param compared the PSPs that cannot be asked, and whose reports people have recorded and compared
     */
    public record LostRows(Optional<Instant> until, Set<String> compared) {
        public static final LostRows NONE = new LostRows(Optional.empty(), Set.of());

        public LostRows {
            compared = Set.copyOf(compared);
        }
    }

    public static final Setting<Optional<String>> BANKS = Setting.string("CHARGEONCE_BANKS",
            "The names of accounts at banks, separated by commas: 'bank' or 'bank-' and a name. Their payments, of the rail bank_debit, "
                    + "are collected for the files that the bank-files service sends.")
            .optional();

    /** With the audit log sealed without a key, and poison stored unsealed. */
    public ChargeSettings(PipelineSettings pipeline, List<PspSettings> psps, int inFlight, Duration lease, Duration breakerOpenFor,
                          List<Duration> queries, Duration sweepAfter, Optional<Routes> routes, Pace pace, Optional<Address> webhooks) {
        this(pipeline, psps, inFlight, lease, breakerOpenFor, queries, sweepAfter, routes, pace, webhooks,
                AuditSealer.Settings.USUAL, Vault.IN_THE_CLEAR, false, SettlementKeys.NONE, List.of(), LostRows.NONE,
                PspProviders.BUILT_IN);
    }

    /** Without webhooks. */
    public ChargeSettings(PipelineSettings pipeline, List<PspSettings> psps, int inFlight, Duration lease, Duration breakerOpenFor,
                          List<Duration> queries, Duration sweepAfter, Optional<Routes> routes, Pace pace) {
        this(pipeline, psps, inFlight, lease, breakerOpenFor, queries, sweepAfter, routes, pace, Optional.empty());
    }

    public ChargeSettings {
        psps = List.copyOf(psps);
        banks = List.copyOf(banks);
        Set<String> names = new HashSet<>();
        for (PspSettings psp : psps) {
            if (!names.add(psp.name())) {
                throw new IllegalArgumentException("%s: the account '%s' is given twice".formatted(PspList.SETTING, psp.name()));
            }
        }
        if (psps.isEmpty()) {
            throw new IllegalArgumentException("%s: is required, or another account at a PSP: its own settings, or an entry of %s"
                    .formatted(StripeProvider.API_KEY.name(), PspList.SETTING));
        }
    }

    /** Without those of plugins. */
    public static final List<Setting<?>> ALL = all(PspProviders.BUILT_IN);

    private static List<Setting<?>> all(PspProviders psps) {
        return Stream.of(PipelineSettings.OF_SERVICE, ofAccounts(psps), List.<Setting<?>>of(Settings.PSP_PLUGINS, IN_FLIGHT,
                LEASE, BREAKER_OPEN_FOR, STATUS_QUERIES, SWEEP_AFTER, BANKS, ROUTES, WEBHOOK_ADDRESS, PipelineSettings.ASK_FIRST_UNTIL,
                COMPARED, TIER_RELEASE_RATE, FLOOD_RATE, QUOTAS, BUFFER_MIB, AuditKeys.FILE, AuditSealer.Settings.EVERY,
                AuditSealer.Settings.KEPT, Vault.FILE, SettlementKeys.FILE))
                .flatMap(List::stream).toList();
    }

    /**
     * Loads the plugins, and then reads the settings, with those of the plugins.
     *
     * @param catalogue the settings of all processes
     * @throws io.chargeonce.runtime.SettingsProblems naming everything that is wrong
     */
    public static ChargeSettings read(Map<String, String> environment, Collection<Setting<?>> catalogue) {
        PspProviders psps = PspProviders.in(Settings.first(environment, Settings.PSP_PLUGINS));
        return Settings.load(environment, all(psps), catalogue).read(settings -> from(settings, psps));
    }

    private static ChargeSettings from(Settings settings, PspProviders psps) {
        KnownPsps known = psps.known();
        return new ChargeSettings(PipelineSettings.from(settings), accounts(settings, psps, true), settings.get(IN_FLIGHT),
                settings.get(LEASE),
                settings.get(BREAKER_OPEN_FOR), settings.get(STATUS_QUERIES), settings.get(SWEEP_AFTER),
                settings.get(ROUTES).map(text -> routes(text, known)),
                new Pace(settings.get(TIER_RELEASE_RATE), settings.get(FLOOD_RATE), settings.get(BUFFER_MIB),
                        settings.get(QUOTAS).map(text -> quotas(text, known)).orElse(Map.of())),
                settings.get(WEBHOOK_ADDRESS),
                new AuditSealer.Settings(AuditKeys.of(settings.get(AuditKeys.FILE)), settings.get(AuditSealer.Settings.EVERY),
                        settings.get(AuditSealer.Settings.KEPT)),
                Vault.ofService(settings), settings.get(RECEIPTS) == ReceiptSender.CHARGEONCE,
                SettlementKeys.of(settings.get(SettlementKeys.FILE)), settings.get(BANKS).map(text -> banks(text, known)).orElse(List.of()),
                new LostRows(settings.get(PipelineSettings.ASK_FIRST_UNTIL),
                        settings.get(COMPARED).map(text -> compared(text, known)).orElse(Set.of())),
                psps);
    }

    private static List<Setting<?>> ofAccounts(PspProviders psps) {
        return Stream.concat(psps.settings().stream(), Stream.of(PSP_TIMEOUT, PSPS, RECEIPTS)).toList();
    }

    /** What {@link #accounts} reads. */
    public static final List<Setting<?>> OF_ACCOUNTS = ofAccounts(PspProviders.BUILT_IN);

    /** The accounts that are set up, but those of plugins. */
    public static List<PspSettings> accounts(Settings settings) {
        return accounts(settings, PspProviders.BUILT_IN, false);
    }

    private static List<PspSettings> accounts(Settings settings, PspProviders psps, boolean strictly) {
        boolean receipts = settings.get(RECEIPTS) == ReceiptSender.PSP;
        Duration timeout = settings.get(PSP_TIMEOUT);
        var more = settings.get(PSPS).map(text -> PspList.parse(text, psps, strictly, settings, timeout, receipts))
                .orElse(new PspList(List.of(), List.of()));
        settings.allow(more.exposed());
        List<String> others = more.accounts().stream().map(PspSettings::name).toList();
        return Stream.concat(psps.accounts(settings, others, timeout, receipts).stream(), more.accounts().stream()).toList();
    }

    /** The same, sealing poison with another vault. */
    public ChargeSettings with(Vault vault) {
        return new ChargeSettings(pipeline, psps, inFlight, lease, breakerOpenFor, queries, sweepAfter, routes, pace, webhooks,
                seals, vault, ourReceipts, settlementKeys, banks, lostRows, providers);
    }

    /** The same, with receipts that the receipts service mails. */
    public ChargeSettings withOurReceipts() {
        return new ChargeSettings(pipeline, psps, inFlight, lease, breakerOpenFor, queries, sweepAfter, routes, pace, webhooks,
                seals, vault, true, settlementKeys, banks, lostRows, providers);
    }

    /** The same, believing lines of settlement reports with a mark of these keys. */
    public ChargeSettings with(SettlementKeys keys) {
        return new ChargeSettings(pipeline, psps, inFlight, lease, breakerOpenFor, queries, sweepAfter, routes, pace, webhooks,
                seals, vault, ourReceipts, keys, banks, lostRows, providers);
    }

    /** The same, with these accounts at banks. */
    public ChargeSettings withBanks(List<String> names) {
        return new ChargeSettings(pipeline, psps, inFlight, lease, breakerOpenFor, queries, sweepAfter, routes, pace, webhooks,
                seals, vault, ourReceipts, settlementKeys, names, lostRows, providers);
    }

    private static Set<String> compared(String text, KnownPsps known) {
        return Set.copyOf(names(COMPARED, text, known, Rail.CARD));
    }

    private static List<String> banks(String text, KnownPsps known) {
        return names(BANKS, text, known, Rail.BANK_DEBIT);
    }

    private static List<String> names(Setting<?> setting, String text, KnownPsps known, Rail rail) {
        List<String> names = Arrays.stream(text.split(",")).map(String::strip).distinct().toList();
        List<String> strange = names.stream().filter(name -> !known.canBeNamed(name, rail)).toList();
        if (!strange.isEmpty()) {
            throw new IllegalArgumentException(
                    "%s: %s must be called %s".formatted(setting.name(), strange, known.names(rail)));
        }
        return names;
    }

    /** An account that is not set up here may be set up in other processes, or later. One whose name can have no settings is a mistake. */
    private static Routes routes(String text, KnownPsps known) {
        Routes routes = Routes.parse(text);
        List<String> strange = routes.psps().stream().filter(name -> known.of(name).isEmpty()).toList();
        if (!strange.isEmpty()) {
            throw new IllegalArgumentException(
                    ("CHARGEONCE_ROUTES: leads to %s, but accounts are called %s; a plugin in %s may bring another"
                            + " PSP").formatted(strange, known.names(Rail.values()), Settings.PSP_PLUGINS.name()));
        }
        return routes;
    }

    private static final Pattern QUOTA = Pattern.compile("([a-z0-9-]+)=([1-9]\\d{0,5})");

    private static Map<String, Integer> quotas(String text, KnownPsps known) {
        var quotas = new HashMap<String, Integer>();
        for (String entry : text.split(",", -1)) {
            Matcher quota = QUOTA.matcher(entry.strip());
            boolean isKnown = quota.matches() && known.canBeNamed(quota.group(1), Rail.CARD);
            if (!isKnown || quotas.put(quota.group(1), Integer.valueOf(quota.group(2))) != null) {
                throw new IllegalArgumentException(("CHARGEONCE_PSP_QUOTAS: '%s' must be the name of an account at a PSP, once, then = "
                        + "and a whole number from 1 to 999999").formatted(entry.strip()));
            }
        }
        return quotas;
    }

    /** A gateway for each account. */
    public List<Gateway> gateways() {
        return psps.stream().map(providers::gateway).toList();
    }
}
