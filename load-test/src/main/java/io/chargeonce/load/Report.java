package io.chargeonce.load;

import io.chargeonce.load.traffic.Latencies;
import io.chargeonce.load.traffic.Second;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import tools.jackson.databind.json.JsonMapper;

/** How a load went: for people, for scripts, and as a chart. */
record Report(long seed, double rate, List<Second> seconds, Latencies latencies) {

    private static final List<Double> PERCENTILES = List.of(50.0, 90.0, 99.0, 99.9, 100.0);
    private static final int WIDTH = 900;
    private static final int HEIGHT = 260;

    String json() {
        Histogram total = latencies.total();
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("seed", seed);
        json.put("rate", rate);
        json.put("accepted", latencies.accepted());
        json.put("refused", latencies.refused());
        json.put("unanswered", latencies.unansweredCalls());
        PERCENTILES.forEach(percentile -> json.put(name(percentile) + "_ms", total.getValueAtPercentile(percentile) / 1_000.0));
        return new JsonMapper().writeValueAsString(json);
    }

    private static String name(double percentile) {
        return percentile == 100 ? "max" : "p" + ("" + percentile).replace(".0", "").replace(".", "");
    }

    String text() {
        Histogram total = latencies.total();
        var text = new StringBuilder("seed %d, intended rate %.0f/s: %,d accepted, %,d refused, %,d unanswered%n".formatted(
                seed, rate, latencies.accepted(), latencies.refused(), latencies.unansweredCalls()));
        PERCENTILES.forEach(percentile -> text.append("  %-5s %,10.1f ms%n".formatted(name(percentile), total.getValueAtPercentile(percentile) / 1_000.0)));
        return text.toString();
    }

    /** Latency over time: median and 99th percentile, on one scale. */
    String svg() {
        double top = Math.max(1, seconds.stream().mapToDouble(Second::p99Millis).max().orElse(1));
        return """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="12">
                <rect width="%1$d" height="%2$d" fill="white"/>
                <text x="10" y="20">latency by second, from the intended time of each call: p50 (blue), p99 (red); highest p99 %3$.1f ms</text>
                <polyline fill="none" stroke="#c33" stroke-width="1.5" points="%4$s"/>
                <polyline fill="none" stroke="#36c" stroke-width="1.5" points="%5$s"/>
                <text x="10" y="%6$d">0 s</text><text x="%7$d" y="%6$d">%8$d s</text>
                </svg>
                """.formatted(WIDTH, HEIGHT, top, points(Second::p99Millis, top), points(Second::p50Millis, top), HEIGHT - 8,
                        WIDTH - 50, seconds.size());
    }

    private String points(ToDoubleFunction<Second> value, double top) {
        var points = new StringBuilder();
        for (int i = 0; i < seconds.size(); i++) {
            double x = 10 + (WIDTH - 20.0) * i / Math.max(1, seconds.size() - 1);
            double y = HEIGHT - 25 - (HEIGHT - 60.0) * value.applyAsDouble(seconds.get(i)) / top;
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x, y));
        }
        return points.toString().strip();
    }
}
