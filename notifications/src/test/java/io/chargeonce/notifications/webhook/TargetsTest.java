// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.endpoints.PublicAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetsTest {

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
        "100.127.255.255", "100.100.100.200", "169.254.169.254", "168.63.129.16", "172.16.0.1", "172.31.255.255", "192.0.0.192",
        "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
        "240.0.0.1", "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:0:127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::a00:1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1",
        "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fec0::1", "ff02::1", "ff0e::1",
        "200::1", "400::1", "1000::1", "4000::1", "8000::1", "::5efe:10.0.0.1", "64:ff9b::8.8.8.8"})
    void an_address_that_is_not_public_is_forbidden(String address) throws UnknownHostException {
        assertThat(PublicAddress.is(InetAddress.getByName(address))).isFalse();
        assertThatThrownBy(() -> named(address).resolve("hooks.example")).isInstanceOf(Targets.Forbidden.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
        "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1"})
    void a_public_address_is_used_as_it_was_checked(String address) throws UnknownHostException {
        assertThat(named(address).resolve("hooks.example")).containsExactly(InetAddress.getByName(address));
    }

    @Test
    void one_forbidden_address_among_several_refuses_them_all() {
        assertThatThrownBy(() -> named("1.1.1.1", "10.0.0.1").resolve("hooks.example")).isInstanceOf(Targets.Forbidden.class);
        assertThatThrownBy(() -> named("10.0.0.1", "1.1.1.1").resolve("hooks.example")).isInstanceOf(Targets.Forbidden.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://hooks.example/x", "ftp://hooks.example", "https://", "https:///x", "https://user@hooks.example",
        "https://u:p@hooks.example/", "https://hooks.example/#x", "https://hooks.example:0/", "https://127.0.0.1/", "https://[::1]/",
        "https://10.1.2.3:8443/x", "https://169.254.169.254/latest/meta-data", "https://[64:ff9b::7f00:1]/", "https://127.1/",
        "https://2130706433/", "https://ho oks.example/", "file:///etc/passwd", "https://0x7f000001/", "https://0x7f.0.0.1/",
        "https://0177.0.0.1/",
        "https://017700000001/", "https://127.0.0.1./", "https://localhost/", "https://kafka:9092/", "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/", "https://[fe80::1%25eth0]/", "https://127%2e0.0.1/", "https://hooks.example:65536/",
        "https://hooks.example:-1/", "https://\u2460\u2461\u2466.0.0.1/", "https://0/", "https://a.1/", "https://a.0x1/",
        "https://hooks.example\\@10.0.0.1/", "//10.0.0.1/", "javascript:alert(1)", "https:10.0.0.1/", "https://1.1.1.1@10.0.0.1/",
        "hooks.example", "http://localhost/x"})
    void an_address_that_can_never_be_used_is_refused_when_it_is_added(String url) {
        assertThatThrownBy(() -> new Targets(Set.of()).checked(url)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_host_that_is_allowed_by_name_may_have_any_address_and_http_on_this_machine() throws UnknownHostException {
        var targets = new Targets(Set.of("hooks.internal", "127.0.0.1"), host -> addresses("10.0.0.1"));
        assertThat(targets.resolve("HOOKS.internal.")).containsExactly(InetAddress.getByName("10.0.0.1"));
        assertThat(targets.checked("https://hooks.internal/x").getHost()).isEqualTo("hooks.internal");
        assertThat(targets.checked("http://127.0.0.1:8080/x").getPort()).isEqualTo(8080);
        assertThatThrownBy(() -> targets.onThisMachine("hooks.internal")).isInstanceOf(Targets.Forbidden.class);
        assertThat(new Targets(Set.of("localhost"), host -> addresses("127.0.0.1", "::1")).onThisMachine("localhost"))
                .isEqualTo(InetAddress.getByName("127.0.0.1"));
        assertThatThrownBy(() -> targets.resolve("other.internal")).isInstanceOf(Targets.Forbidden.class);
    }

    private static Targets named(String... addresses) {
        return new Targets(Set.of(), host -> addresses(addresses));
    }

    private static InetAddress[] addresses(String... numbers) throws UnknownHostException {
        var addresses = new InetAddress[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            addresses[i] = InetAddress.getByName(numbers[i]);
        }
        return addresses;
    }
}
