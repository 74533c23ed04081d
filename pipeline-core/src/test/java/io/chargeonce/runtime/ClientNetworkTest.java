// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

class ClientNetworkTest {

    private static ClientNetwork of(String address) throws UnknownHostException {
        return ClientNetwork.of(InetAddress.getByName(address));
    }

    @Test
    void all_addresses_of_one_64_are_one_and_those_of_another_are_not() throws UnknownHostException {
        assertThat(of("2001:db8:1:2::1")).isEqualTo(of("2001:db8:1:2:ffff:ffff:ffff:ffff")).isNotEqualTo(of("2001:db8:1:3::1"));
        assertThat(of("2001:db8:1:2::1").name()).isEqualTo("2001:db8:1:2:0:0:0:0/64");
    }

    @Test
    void each_address_of_version_4_is_one_also_where_it_is_written_as_one_of_version_6() throws UnknownHostException {
        assertThat(of("192.0.2.1")).isEqualTo(of("::ffff:192.0.2.1")).isNotEqualTo(of("192.0.2.2"));
    }

    @Test
    void the_port_of_a_connection_does_not_count() throws UnknownHostException {
        var one = new InetSocketAddress(InetAddress.getByName("2001:db8::1"), 1);
        var other = new InetSocketAddress(InetAddress.getByName("2001:db8::2"), 2);
        assertThat(ClientNetwork.of(one)).isEqualTo(ClientNetwork.of(other));
    }
}
