// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.load.traffic.TrafficLatencies;
import io.chargeonce.load.traffic.TrafficMerchant;
import io.chargeonce.load.traffic.Mix;
import io.chargeonce.load.traffic.Second;
import io.chargeonce.load.traffic.Traffic;
import io.chargeonce.sandbox.http.HttpAnswer;
import io.chargeonce.sandbox.http.HttpListener;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

class ReportTest {

    /** Every third call is answered at the second sending only. */
    private static TrafficLatencies latencies() {
        var calls = new AtomicInteger();
        try (var server =
                HttpListener.start("an ingest service", 0, request -> new HttpAnswer.Full(calls.getAndIncrement() % 3 == 0 ? 503 : 202,
                        Map.of(), "{\"id\":\"pay_1\"}".getBytes(StandardCharsets.UTF_8)))) {
            var traffic = new Traffic(URI.create("http://127.0.0.1:" + server.port()), Optional.empty(), 5, call -> {}, refund -> {});
            traffic.run(60, Duration.ofMillis(200), Mix.parse("repeats=0"), List.of(new TrafficMerchant("acme", "t")), new Random(1), "k");
            return traffic.latencies();
        }
    }

    @Test
    void a_report_counts_every_answer_once_in_text_json_and_chart() throws Exception {
        var report = new LoadReport(7, 60, Duration.ofSeconds(2), List.of(new Second(12, 1.5, 9), new Second(0, 0, 0)), latencies());
        var json = new JsonMapper().readTree(report.json());
        assertThat(json.path("accepted").asInt()).isEqualTo(12);
        assertThat(json.path("answered_per_second").asDouble()).isEqualTo(6);
        long inHistogram = json.path("histogram_up_to_ms").properties().stream().mapToLong(bucket -> bucket.getValue().asLong()).sum();
        assertThat(inHistogram).isEqualTo(12);
        assertThat(json.path("unclear").toString()).contains("503");
        assertThat(report.text()).contains("12 accepted", "p99", "up to", "503");
        var svg = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new ByteArrayInputStream(report.svg().getBytes(StandardCharsets.UTF_8)));
        assertThat(svg.getElementsByTagName("polyline").getLength()).isEqualTo(2);
        assertThat(svg.getElementsByTagName("rect").getLength()).isGreaterThan(1);
    }
}
