// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.metrics.MetricsReporter;

/**
 * Copies what a person looks at first from the hundreds of measurements that a Kafka client makes of itself. Kafka creates one for each
 * client and closes it with the client. Any thread.
 */
public final class KafkaMeters implements MetricsReporter {

    /** The client property that carries the registry. */
    static final String REGISTRY = "chargeonce.meters";

    /** Kafka's group and name, and ours. Only measurements of a whole client: those of partitions have no bound. */
    private static final Map<String, String> KEPT = Map.ofEntries(
            Map.entry("producer-metrics/connection-count", "chargeonce.kafka.connections"),
            Map.entry("consumer-metrics/connection-count", "chargeonce.kafka.connections"),
            Map.entry("producer-metrics/request-latency-avg", "chargeonce.kafka.request.seconds"),
            Map.entry("consumer-fetch-manager-metrics/fetch-latency-avg", "chargeonce.kafka.fetch.seconds"),
            Map.entry("producer-metrics/record-error-total", "chargeonce.kafka.record.errors"),
            Map.entry("producer-metrics/buffer-available-bytes", "chargeonce.kafka.buffer.available.bytes"),
            Map.entry("consumer-fetch-manager-metrics/records-lag-max", "chargeonce.kafka.lag.records"),
            Map.entry("consumer-coordinator-metrics/rebalance-total", "chargeonce.kafka.rebalances"));
    private static final Set<String> OF_A_CLIENT = Set.of("client-id");

    private final Map<MetricName, Meter> registered = new ConcurrentHashMap<>();
    private Optional<MeterRegistry> registry = Optional.empty();

    @Override
    public void configure(Map<String, ?> properties) {
        registry = Optional.of((MeterRegistry) properties.get(REGISTRY));
    }

    @Override
    public void init(List<KafkaMetric> metrics) {
        metrics.forEach(this::metricChange);
    }

    @Override
    public void metricChange(KafkaMetric metric) {
        MetricName name = metric.metricName();
        String ours = KEPT.get(name.group() + "/" + name.name());
        if (ours != null && name.tags().keySet().equals(OF_A_CLIENT)) {
            var client = Tags.of("client", name.tags().get("client-id"));
            // A client that takes another's place opens before the other has closed. The registry would keep the other's gauge.
            registry.orElseThrow().find(ours).tags(client).meters().forEach(registry.orElseThrow()::remove);
            registered.put(name, name.name().endsWith("-total")
                    ? FunctionCounter.builder(ours, metric, KafkaMeters::value).tags(client).description(name.description())
                            .register(registry.orElseThrow())
                    : Gauge.builder(ours, metric, KafkaMeters::value).tags(client).description(name.description())
                            .register(registry.orElseThrow()));
        }
    }

    /** Kafka measures latencies in milliseconds. */
    private static double value(KafkaMetric metric) {
        double value = metric.metricValue() instanceof Number number ? number.doubleValue() : Double.NaN;
        return metric.metricName().name().contains("-latency-") ? value / 1000 : value;
    }

    @Override
    public void metricRemoval(KafkaMetric metric) {
        Optional.ofNullable(registered.remove(metric.metricName())).ifPresent(this::remove);
    }

    /** Unless another client of the same name has taken its place. */
    @SuppressWarnings("ReferenceEquality") // Two gauges of one name are equal.
    private void remove(Meter meter) {
        if (registry.orElseThrow().find(meter.getId().getName()).tags(meter.getId().getTags()).meter() == meter) {
            registry.orElseThrow().remove(meter);
        }
    }

    @Override
    public void close() {
        registered.values().forEach(this::remove);
        registered.clear();
    }
}
