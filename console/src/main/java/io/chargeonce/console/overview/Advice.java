// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.overview;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One thing to do next.
 *
 * @param about   what it is about: the witness's own state says nothing of the money
 * @param link    the place on the page
 * @param command the same at the command line
 */
record Advice(About about, Severity severity, String text, String link, String command) {

    enum About { PIPELINE, WITNESS }

    /** The last one is told first: what a person holds explains much of the rest. */
    enum Severity { INFO, WARNING, CRITICAL, HELD }

    /** Whether a person has to look at the pipeline. */
    boolean needsPerson() {
        return about == About.PIPELINE && (severity == Severity.WARNING || severity == Severity.CRITICAL);
    }

    Map<String, Object> json() {
        var json = new LinkedHashMap<String, Object>();
        json.put("severity", severity.name().toLowerCase(java.util.Locale.ROOT));
        json.put("text", text);
        json.put("link", link);
        json.put("command", command);
        return json;
    }
}
