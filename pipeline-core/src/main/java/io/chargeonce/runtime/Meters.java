// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** The meters of one process: its own and the JVM's, all tagged with the service's name. Any thread. */
public final class Meters implements AutoCloseable {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics garbageCollection = new JvmGcMetrics();

    private Meters(String service) {
        registry.config().commonTags("service", service);
    }

    public static Meters of(String service) {
        Meters meters = new Meters(service);
        List.of(new ClassLoaderMetrics(), new JvmMemoryMetrics(), new JvmThreadMetrics(), new ProcessorMetrics(),
                new FileDescriptorMetrics(), new UptimeMetrics(), meters.garbageCollection)
                .forEach(binder -> binder.bindTo(meters.registry));
        Build.CURRENT.register(meters.registry);
        return meters;
    }

    public MeterRegistry registry() {
        return registry;
    }

    /** All meters in Prometheus's text format. */
    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        garbageCollection.close();
        registry.close();
    }
}
