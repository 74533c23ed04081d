// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load;

import io.chargeonce.load.traffic.TrafficLatencies;
import io.chargeonce.load.traffic.Second;
import io.chargeonce.load.traffic.Traffic;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.StreamSupport;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;

/**
 * How a load went: for people, for scripts, and as a chart.
 *
 * @param took from the first call's time to the last one's end
 */
record LoadReport(long seed, double rate, Duration took, List<Second> seconds, TrafficLatencies latencies) {

    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 100.0);
    private static final int WIDTH = 900;
    private static final int HEIGHT = 260;
    private static final int BASE = HEIGHT - 30;

    String json() {
        Histogram total = latencies.total();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", seed);
        json.put("rate", rate);
        json.put("answered_per_second", answeredPerSecond());
        json.put("accepted", latencies.accepted());
        json.put("refused", latencies.refused());
        json.put("unanswered", latencies.unansweredCalls());
        json.put("held_back", latencies.callsHeldBack());
        json.put("refusals", latencies.refusals());
        json.put("unclear", latencies.unclear());
        PERCENTILES.forEach(percentile -> json.put(name(percentile) + "_ms", total.getValueAtPercentile(percentile) / 1_000.0));
        var histogram = new LinkedHashMap<String, Long>();
        buckets(total).forEach(bucket -> histogram.put(String.format(Locale.ROOT, "%.1f", bucket.upToMillis()), bucket.count()));
        json.put("histogram_up_to_ms", histogram);
        return new JsonMapper().writeValueAsString(json);
    }

    private double answeredPerSecond() {
        return Math.round(10_000.0 * (latencies.accepted() + latencies.refused()) / Math.max(1, took.toMillis())) / 10.0;
    }

    private static String name(double percentile) {
        return percentile == 100 ? "max" : "p" + ("" + percentile).replace(".0", "").replace(".", "");
    }

    String text() {
        Histogram total = latencies.total();
        var text = new StringBuilder("seed %d, %.0f/s meant, %.0f/s answered: %,d accepted, %,d refused, %,d unanswered%n".formatted(
                seed, rate, answeredPerSecond(), latencies.accepted(), latencies.refused(), latencies.unansweredCalls()));
        PERCENTILES.forEach(percentile -> text
                .append("  %-5s %,10.1f ms%n".formatted(name(percentile), total.getValueAtPercentile(percentile) / 1_000.0)));
        List<Bucket> buckets = buckets(total);
        long most = buckets.stream().mapToLong(Bucket::count).max().orElse(1);
        buckets.forEach(bucket -> text.append("  up to %,9.1f ms %,9d %s%n".formatted(bucket.upToMillis(), bucket.count(),
                "█".repeat((int) Math.ceil(40.0 * bucket.count() / most)))));
        if (latencies.callsHeldBack() > 0) {
            text.append("  %,d calls left late, for %,d others had no answer yet: these latencies are in part the sender's%n"
                    .formatted(latencies.callsHeldBack(), Traffic.MOST_OPEN));
        }
        latencies.refusals().forEach((why, count) -> text.append("  %,d refused: %s%n".formatted(count, why)));
        latencies.unclear().forEach((why, count) -> text.append("  %,d sendings sent again: %s%n".formatted(count, why)));
        return text.toString();
    }

    /** So many answers took longer than the bucket before and no longer than this one. */
    private record Bucket(double upToMillis, long count) {}

    /** Each twice as wide as the one before; from the first that holds something to the last. */
    private static List<Bucket> buckets(Histogram total) {
        return StreamSupport.stream(total.logarithmicBucketValues(1_000, 2).spliterator(), false)
                .map(step -> new Bucket((step.getValueIteratedTo() + 1) / 1_000.0, step.getCountAddedInThisIterationStep()))
                .filter(bucket -> bucket.count() > 0).toList();
    }

    /** Latency over time, median and 99th percentile on one scale, and how answers are spread over latencies. */
    String svg() {
        double top = Math.max(1, seconds.stream().mapToDouble(Second::p99Millis).max().orElse(1));
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
                <rect width="%1$d" height="%2$d" fill="white"/>
                <text x="10" y="20">latency by second, from the intended time of each call: p50 (blue), p99 (red)</text>
                <line x1="60" y1="40" x2="%3$d" y2="40" stroke="#ddd"/><text x="10" y="44">%4$.1f ms</text>
                <line x1="60" y1="%5$d" x2="%3$d" y2="%5$d" stroke="#999"/><text x="10" y="%6$d">0 ms</text>
                <polyline fill="none" stroke="#c33" stroke-width="1.5" points="%7$s"/>
                <polyline fill="none" stroke="#36c" stroke-width="1.5" points="%8$s"/>
                <text x="60" y="%9$d">1 s</text><text x="%10$d" y="%9$d" text-anchor="end">%11$d s</text>
                <text x="10" y="%12$d">answers by latency: so many took up to so long</text>
                %13$s</svg>
                """.formatted(WIDTH, 2 * HEIGHT, WIDTH - 10, top, BASE, BASE + 4, points(Second::p99Millis, top),
                points(Second::p50Millis, top),
                BASE + 18, WIDTH - 10, took.toSeconds(), HEIGHT + 20, bars(buckets(latencies.total())));
    }

    private static String bars(List<Bucket> buckets) {
        long most = buckets.stream().mapToLong(Bucket::count).max().orElse(1);
        var bars = new StringBuilder();
        for (int i = 0; i < buckets.size(); i++) {
            double width = (WIDTH - 70.0) / buckets.size();
            double height = (HEIGHT - 90.0) * buckets.get(i).count() / most;
            bars.append(String.format(Locale.ROOT, """
                    <rect x="%1$.1f" y="%2$.1f" width="%3$.1f" height="%4$.1f" fill="#36c"/>
                    <text x="%5$.1f" y="%6$.1f" text-anchor="middle">%7$,d</text><text x="%5$.1f" y="%8$d" text-anchor="middle">%9$.1f \
                    ms</text>
                    """, 60 + i * width, HEIGHT + BASE - height, width * 0.9, height, 60 + (i + 0.45) * width, HEIGHT + BASE - height - 4,
                    buckets.get(i).count(), HEIGHT + BASE + 16, buckets.get(i).upToMillis()));
        }
        return bars.toString();
    }

    private String points(ToDoubleFunction<Second> value, double top) {
        var points = new StringBuilder();
        for (int i = 0; i < seconds.size(); i++) {
            double x = 60 + (WIDTH - 70.0) * i / Math.max(1, seconds.size() - 1);
            double y = BASE - (BASE - 40.0) * value.applyAsDouble(seconds.get(i)) / top;
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        return points.toString().strip();
    }
}
