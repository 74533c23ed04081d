// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.option;

import java.net.URI;
import java.net.URISyntaxException;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** {@code http://127.0.0.1:8080}, {@code https://pay.example.com}. */
public final class HttpAddress implements ITypeConverter<URI> {

    @Override
    public URI convert(String text) {
        try {
            URI address = new URI(text);
            if (address.getHost() != null && String.valueOf(address.getScheme()).matches("https?")) {
                return address;
            }
        } catch (URISyntaxException wrong) {
            // Said below, in words that need no knowledge of Java.
        }
        throw new TypeConversionException("'%s' is no address: write http://127.0.0.1:8080, say".formatted(text));
    }
}
