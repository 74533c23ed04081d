// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.endpoints;

import io.chargeonce.text.IpNumber;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What an endpoint's address may look like. No name is looked up here: where a name leads is checked for each connection. Any thread.
 *
 * @param allowedHosts may have any address, in lower case
 */
public record EndpointAddress(Set<String> allowedHosts) {

    private static final int LONGEST = 2_000;
    /** No top-level domain looks like a number, and some resolvers take such a name for one. */
    private static final Pattern NUMBER = Pattern.compile("(.*\\.)?(\\d+|0x[0-9a-f]*)|.*:.*");

    public EndpointAddress {
        allowedHosts = Set.copyOf(allowedHosts);
    }

    /** @throws IllegalArgumentException saying what is wrong with it, without repeating it */
    public URI checked(String url) {
        URI uri;
        try {
            uri = new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("is no address");
        }
        if (url.length() > LONGEST || !url.chars().allMatch(c -> c > ' ' && c < 127)) {
            throw new IllegalArgumentException("must have at most %,d characters, all of them visible ASCII".formatted(LONGEST));
        }
        if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null || uri.getPort() == 0
                || uri.getPort() > 65_535) {
            throw new IllegalArgumentException("must be an address with a host and without a user, a password or a fragment");
        }
        String host = hostOf(uri.getHost());
        boolean isAllowed = allowedHosts.contains(host);
        if (!"https".equals(uri.getScheme()) && !("http".equals(uri.getScheme()) && isAllowed)) {
            throw new IllegalArgumentException("must be an https address; http is only for a host on this machine that "
                    + EndpointSettings.ALLOWED_HOSTS.name() + " names");
        }
        if (!isAllowed && !(NUMBER.matcher(host).matches() ? IpNumber.parse(host).filter(PublicAddress::is).isPresent()
                : host.indexOf('.') > 0)) {
            throw new IllegalArgumentException("leads to no public address");
        }
        return uri;
    }

    /** Without brackets and a dot at its end, in lower case. */
    public static String hostOf(String host) {
        String bare = host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
        String lower = bare.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }
}
