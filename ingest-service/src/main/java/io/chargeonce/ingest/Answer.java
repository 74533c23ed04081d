package io.chargeonce.ingest;

import java.util.Map;

/**
 * What one HTTP request is answered with.
 *
 * @param outcome how the meters count it; one of few words
 */
record Answer(int status, Map<String, String> headers, byte[] body, String outcome) {}
