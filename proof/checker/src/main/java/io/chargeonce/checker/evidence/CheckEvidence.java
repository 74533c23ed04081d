// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker.evidence;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a check is made from.
 *
 * @param kafka           Kafka client properties, with at least {@code bootstrap.servers}
 * @param topicPrefix     what the names of all topics and groups begin with
 * @param tiers           the delays of the retry tiers, first to last
 * @param tiersSince      waits that began earlier are not compared with these delays: the services may have had others then
 * @param psps            simulators whose ledger is read at {@code /_sandbox/movements}; real PSPs have none, and without any
 *                        ledger the checks about captures are left out
 * @param calls           the calls of clients and their answers; read twice
 * @param planted         strings that must be found nowhere: card numbers, secrets
 * @param logs            files that are searched for them, next to topics and rows
 * @param inFlightAllowed whether payments under way leave a verdict possible; else it is "unknown" while there are any
 * @param ourReceipts     if the pipeline mails receipts: which successes with an address must have one
 * @param recovery        if the pipeline is well again: then payments under way break the books
 * @param arrivals        what receivers of webhooks and mailboxes have kept
 */
public record CheckEvidence(String jdbcUrl, String user, String password, Map<String, Object> kafka, String topicPrefix,
        List<Duration> tiers, Instant tiersSince, List<URI> psps, Optional<Calls> calls, List<String> planted, List<Path> logs,
        boolean inFlightAllowed, Optional<OurReceipts> ourReceipts, Optional<Recovery> recovery,
        Optional<ArrivalEvidence> arrivals) {

    public CheckEvidence {
        kafka = Map.copyOf(kafka);
        tiers = List.copyOf(tiers);
        psps = List.copyOf(psps);
        planted = List.copyOf(planted);
        logs = List.copyOf(logs);
        if (!kafka.containsKey("bootstrap.servers")) {
            throw new IllegalArgumentException("the Kafka properties name no bootstrap.servers");
        }
    }

    /**
     * The time up to which this check looks, as an expression of Postgres. In a universe or campaign, which has arrivals, it is the time of
     * its healing: a universe has a year of its own.
     */
    public String now() {
        return recovery.filter(expected -> arrivals.isPresent()).map(expected -> "timestamptz '%s'".formatted(expected.since()))
                .orElse("now()");
    }

    /** Topics {@code payments.*}, no history, nothing planted, and everything must be at rest. */
    public static CheckEvidence of(String jdbcUrl, String user, String password, String bootstrapServers, List<Duration> tiers,
                                   List<URI> psps) {
        return new CheckEvidence(jdbcUrl, user, password, Map.of("bootstrap.servers", bootstrapServers), "payments", tiers, Instant.EPOCH,
                psps,
                Optional.empty(), List.of(), List.of(), false, Optional.empty(), Optional.empty(), Optional.empty());
    }

    public CheckEvidence topicPrefix(String other) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, other, tiers, tiersSince, psps, calls, planted, logs, inFlightAllowed,
                ourReceipts,
                recovery, arrivals);
    }

    public CheckEvidence kafka(Map<String, Object> properties) {
        return new CheckEvidence(jdbcUrl, user, password, properties, topicPrefix, tiers, tiersSince, psps, calls, planted, logs,
                inFlightAllowed, ourReceipts, recovery, arrivals);
    }

    public CheckEvidence calls(Calls history) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, psps, Optional.of(history), planted, logs,
                inFlightAllowed, ourReceipts, recovery, arrivals);
    }

    public CheckEvidence planted(List<String> strings, List<Path> searched) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, psps, calls, strings, searched,
                inFlightAllowed,
                ourReceipts,
                recovery, arrivals);
    }

    public CheckEvidence allowInFlight() {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, psps, calls, planted, logs, true,
                ourReceipts,
                recovery, arrivals);
    }

    /** Everything has come to rest, so each success has its receipt. */
    public CheckEvidence withOurReceipts() {
        return with(new OurReceipts(Instant.EPOCH, true));
    }

    public CheckEvidence with(OurReceipts receipts) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, psps, calls, planted, logs,
                inFlightAllowed,
                Optional.of(receipts), recovery, arrivals);
    }

    public CheckEvidence recovered(Recovery expected) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, psps, calls, planted, logs,
                inFlightAllowed,
                ourReceipts,
                Optional.of(expected), arrivals);
    }

    public CheckEvidence arrivals(ArrivalEvidence kept) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, psps, calls, planted, logs,
                inFlightAllowed,
                ourReceipts, recovery, Optional.of(kept));
    }

    public CheckEvidence tiersSince(Instant known) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, known, psps, calls, planted, logs, inFlightAllowed,
                ourReceipts,
                recovery, arrivals);
    }

    public CheckEvidence tiers(List<Duration> delays) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, delays, tiersSince, psps, calls, planted, logs,
                inFlightAllowed,
                ourReceipts,
                recovery, arrivals);
    }

    public CheckEvidence psps(List<URI> ledgers) {
        return new CheckEvidence(jdbcUrl, user, password, kafka, topicPrefix, tiers, tiersSince, ledgers, calls, planted, logs,
                inFlightAllowed,
                ourReceipts,
                recovery, arrivals);
    }
}
