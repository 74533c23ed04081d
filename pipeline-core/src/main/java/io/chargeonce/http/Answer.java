// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.http;

import java.util.Map;

/**
 * What one HTTP request is answered with.
 *
 * @param outcome how the meters count it; one of few words
 */
public record Answer(int status, Map<String, String> headers, byte[] body, String outcome) {}
