// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.text.AddressRange;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientsTest {

    /** Proxies are 10.0.0.0/8 and 2001:db8::7. Values of the header are separated by a bar. */
    @ParameterizedTest
    @CsvSource(nullValues = "-", value = {"203.0.113.5, -, 203.0.113.5", "203.0.113.5, 198.51.100.1, 203.0.113.5",
        "10.0.0.1, -, 10.0.0.1", "10.0.0.1, 198.51.100.1, 198.51.100.1", "2001:db8::7, 2001:db8::8, 2001:db8::8",
        "10.0.0.1, '127.0.0.1, 198.51.100.1', 198.51.100.1", "10.0.0.1, '127.0.0.1|198.51.100.1', 198.51.100.1",
        "10.0.0.1, '198.51.100.1, 10.0.0.2', 198.51.100.1", "10.0.0.1, '198.51.100.9, 198.51.100.1,10.0.0.2', 198.51.100.1",
        "10.0.0.1, '198.51.100.1, 10.0.0.2, ', 10.0.0.1", "10.0.0.1, 'localhost', 10.0.0.1",
        "10.0.0.1, '198.51.100.1, 127.1', 10.0.0.1", "10.0.0.1, '198.51.100.1:80', 10.0.0.1",
        "10.0.0.1, '10.0.0.2, 10.0.0.3', 10.0.0.2"})
    void only_what_a_named_proxy_has_added_is_believed(String peer, String forwarded, String client) throws Exception {
        var clients = new Clients(Stream.of("10.0.0.0/8", "2001:db8::7").map(AddressRange::parse).toList());
        List<String> sent = forwarded == null ? List.of() : List.of(forwarded.split("[|]"));
        assertThat(clients.of(InetAddress.getByName(peer), sent)).isEqualTo(InetAddress.getByName(client));
        assertThat(new Clients(List.of()).of(InetAddress.getByName(peer), sent)).isEqualTo(InetAddress.getByName(peer));
    }
}
