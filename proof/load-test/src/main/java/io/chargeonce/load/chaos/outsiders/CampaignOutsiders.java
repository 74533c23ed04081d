// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.chaos.outsiders;

import io.chargeonce.checker.evidence.ArrivalEvidence;
import io.chargeonce.load.outside.HookEndpoint;
import io.chargeonce.load.proxy.Conditions;
import io.chargeonce.load.proxy.TcpProxy;
import io.chargeonce.sandbox.mail.Letter;
import io.chargeonce.sandbox.mail.SandboxMail;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Who hears of payments: merchants' receivers and customers' mailboxes. What they have, they keep over all campaigns. Any thread. */
public final class CampaignOutsiders implements ArrivalEvidence, AutoCloseable {

    /** The pauses between tries: all have their turn within one period of faults and the next. */
    private static final List<String> SCHEDULE = List.of("300ms", "600ms", "1s", "2s");

    private final List<HookEndpoint> endpoints;
    private final MerchantServers servers;
    private final TcpProxy toServers;
    private final SandboxMail mail;
    private final MailFront front;

    /** @param merchants two */
    public CampaignOutsiders(List<String> merchants) {
        this.endpoints = HookEndpoint.ofTwo(merchants.getFirst(), merchants.getLast());
        this.servers = new MerchantServers(endpoints);
        this.toServers = TcpProxy.start(servers.port());
        this.mail = SandboxMail.start(0, 0);
        this.front = new MailFront(mail.port());
    }

    /** Statements that add the merchants' endpoints. */
    public List<String> endpoints() {
        return endpoints.stream().flatMap(one -> one.inserted("http://localhost:%d/%s".formatted(toServers.port(), one.name())).stream())
                .toList();
    }

    /** Of the services that send. */
    public Map<String, String> settings() {
        var settings = new HashMap<String, String>();
        // Their secrets stand in the clear.
        settings.put("CHARGEONCE_INSECURE", "yes");
        settings.put("CHARGEONCE_DELIVERY_ALLOWED_HOSTS", "localhost");
        settings.put("CHARGEONCE_DELIVERY_SCHEDULE", String.join(",", SCHEDULE));
        settings.put("CHARGEONCE_DELIVERY_TIMEOUT", "1s");
        settings.put("CHARGEONCE_SMTP_SERVER", "127.0.0.1:" + front.port());
        settings.put("CHARGEONCE_SMTP_TLS", "none");
        settings.put("CHARGEONCE_SMTP_TIMEOUT", "1s");
        settings.put("CHARGEONCE_RECEIPT_FROM", "receipts@chargeonce.example");
        settings.put("CHARGEONCE_RECEIPT_SCHEDULE", String.join(",", SCHEDULE));
        return settings;
    }

    /** Until the next healing. Returns the fault's name. */
    public String hurtReceivers(RandomGenerator random) {
        if (random.nextInt(5) == 0) {
            toServers.set(random.nextBoolean() ? Conditions.unreachable() : Conditions.silent());
            return "all receivers are cut off";
        }
        var moods = MerchantServers.Mood.values();
        MerchantServers.Mood mood = moods[1 + random.nextInt(moods.length - 1)];
        HookEndpoint endpoint = endpoints.get(random.nextInt(endpoints.size()));
        servers.mood(endpoint, mood);
        return "receiver " + mood;
    }

    /** Until the next healing. Returns the fault's name. */
    public String hurtMail(RandomGenerator random) {
        var moods = MailFront.Mood.values();
        MailFront.Mood mood = moods[1 + random.nextInt(moods.length - 1)];
        front.mood(mood);
        return "mail server " + mood;
    }

    public void heal() {
        servers.allWell();
        toServers.set(Conditions.fair());
        front.mood(MailFront.Mood.WELL);
    }

    private static final String SEND_DEAD = """
            UPDATE chargeonce.webhook_endpoint SET disabled_by = NULL, disabled_at = NULL, failing_since = NULL, failed_at = NULL
             WHERE disabled_by = 'failing';
            SELECT chargeonce.redeliver_webhooks(NULL, endpoint_id, 10000) FROM chargeonce.webhook_endpoint ORDER BY endpoint_id;
            UPDATE chargeonce.receipt SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), ended_at = NULL
             WHERE state = 'dead'
            """;
    private static final String SEND_WEBHOOK = "SELECT chargeonce.redeliver_webhook(NULL, '%s')";
    private static final String SEND_RECEIPT = """
            UPDATE chargeonce.receipt SET state = 'waiting', attempts = 0, fence = fence + 1, due_at = now(), ended_at = NULL
             WHERE receipt_id = '%s' AND state = 'sent'
            """;

    /** What a person does when all is well again: endpoints are enabled, and what is dead or was lost by its receiver is sent again. */
    public List<String> sendAgain() {
        return Stream.of(Stream.of(SEND_DEAD), servers.forgotten().stream().map(SEND_WEBHOOK::formatted),
                front.forgotten().stream().map(SEND_RECEIPT::formatted)).flatMap(all -> all).toList();
    }

    @Override
    public List<Webhook> webhooks() {
        return servers.kept();
    }

    @Override
    public List<Mail> mails() {
        return mail.letters().stream().map(CampaignOutsiders::read).toList();
    }

    private static Mail read(Letter letter) {
        return new Mail(letter.id().replaceAll("^<|@.*$", ""), letter.to().getFirst(), letter.text());
    }

    @Override
    public int tries() {
        return SCHEDULE.size() + 1;
    }

    @Override
    public void close() {
        front.close();
        mail.close();
        toServers.close();
        servers.close();
    }
}
