// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.report;

import io.chargeonce.bench.measure.RoundSpread;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** Horizontal bars as SVG, the first one ours. For one thread. */
final class Chart {

    private static final int ROW = 26;
    private static final int NAMES = 210;
    private static final int BARS = 430;
    private static final int WIDTH = 740;

    private final String title;
    private final Map<String, Double> bars = new LinkedHashMap<>();

    Chart(String title) {
        this.title = title;
    }

    Chart bar(String name, double value) {
        bars.put(name, value);
        return this;
    }

    String svg() {
        double most = bars.values().stream().mapToDouble(Double::doubleValue).max().orElse(1);
        var svg = new StringBuilder();
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">%n"
                .formatted(WIDTH, 40 + ROW * bars.size()));
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        svg.append("<text x=\"8\" y=\"20\" font-weight=\"bold\">").append(title).append("</text>\n");
        int y = 34;
        for (var bar : bars.entrySet()) {
            double width = Math.max(1, bar.getValue() / most * BARS);
            svg.append(
                    String.format(Locale.ROOT, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>%n", NAMES - 8, y + 16, bar.getKey()));
            svg.append(
                    String.format(Locale.ROOT, "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" fill=\"%s\"/>%n", NAMES, y + 3, width,
                            ROW - 8, y == 34 ? "#2b6cb0" : "#a0aec0"));
            svg.append(String.format(Locale.ROOT, "<text x=\"%.0f\" y=\"%d\">%s</text>%n", NAMES + width + 6, y + 16,
                    RoundSpread.brief(bar.getValue())));
            y += ROW;
        }
        return svg.append("</svg>\n").toString();
    }
}
