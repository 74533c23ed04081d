// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.sandbox.http;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The method and the path of an endpoint. The path is a regular expression; its first group, if it has one, is an id. */
public record Route(String method, Pattern path) {

    public static Route of(String method, String path) {
        return new Route(method, Pattern.compile(path));
    }

    /** The id in the path of a request for this endpoint, or an empty text where the path has none; empty for another endpoint. */
    public Optional<String> target(HttpRequest request) {
        Matcher matcher = path.matcher(request.path());
        if (!method.equals(request.method()) || !matcher.matches()) {
            return Optional.empty();
        }
        return Optional.of(matcher.groupCount() == 0 ? "" : matcher.group(1));
    }
}
