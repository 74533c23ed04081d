// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.runtime.Address;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpNumberTest {

    @ParameterizedTest
    @CsvSource({"0.0.0.0, 0.0.0.0", "127.0.0.1, 127.0.0.1", "255.249.199.99, 255.249.199.99", "::, 0:0:0:0:0:0:0:0",
        "2001:DB8::1, 2001:db8:0:0:0:0:0:1"})
    void the_usual_spellings_are_read(String text, String address) {
        assertThat(IpNumber.parse(text).map(InetAddress::getHostAddress)).contains(address);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "127.1", "127.0.1", "10.20.300", "2130706433", "0x7f.0.0.1", "127.0.0.01", "010.0.0.1", "1.2.3.256",
        "1.2.3.4.",
        ".1.2.3.4", "1.2.3.4.5", "1..2.3", " 1.2.3.4", "١.2.3.4", ":", "1:2", "::1%lo", "::ffff:1.2.3.4", "::ffff:7f00:1", "::1.2",
        "localhost", "ab.cd", "g::1", "1:2:3:4:5:6:7:8:9"})
    void what_programs_read_differently_is_no_number(String text) {
        assertThat(IpNumber.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.1:80", "10.20.300:80", "2130706433:80", "127.0.0.01:80"})
    void no_setting_names_a_host_that_programs_read_differently(String text) {
        assertThatThrownBy(() -> Address.parse(text)).hasMessageContaining("an IPv4 host has four decimal parts");
    }

    @ParameterizedTest
    @ValueSource(strings = {"[127.1]:80", "[0177.0.0.1]:80", "[127.0.0.1]:80", "[localhost]:80", "[]:80", "[::1%lo]:80"})
    void brackets_are_around_an_ipv6_number_alone(String text) {
        assertThatThrownBy(() -> Address.parse(text)).hasMessageContaining("brackets are around an IPv6 number");
    }
}
