// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.receipt;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecipientTest {

    @ParameterizedTest
    @CsvSource({"jane@example.com, jane@example.com", "kunde@straße.example, kunde@xn--strae-oqa.example",
        "kunde@strasse.example, kunde@strasse.example", "a@βόλος.example, a@xn--nxasmm1c.example",
        "a@نامه‌ای.example, a@xn--mgba3gch31f060k.example", "a@MÜNCHEN.example, a@xn--mnchen-3ya.example",
        "a@例え。テスト, a@xn--r8jz45g.xn--zckzah", "jane@ab--cd.example, jane@ab--cd.example",
        "jane@r4---sn.example, jane@r4---sn.example"})
    void a_domain_in_any_script_is_the_one_that_its_owner_registered(String text, String sent) {
        assertThat(Recipient.of(text).map(mailbox -> mailbox.address().getAddress())).contains(sent);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "jane", "@example.com", "jane@", "jane@-a.example", "jane@127.0.0.1", "jane@127.1",
        "jane@１２７。０。０。１", "jane@xn--a.example", "jane@exa mple.com",
        "jane@ex_ample.com", "jane@\u0301a.example", "jane@a\u200db.example", "jane@\u05d0a.example", "jané@example.com",
        "jane@example.com,eve@example.com", "Jane <jane@example.com>"})
    void what_is_no_mailbox_or_no_domain_of_2008_gets_nothing(String text) {
        assertThat(Recipient.of(text)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc.", ".abc", "a..b", "."})
    void a_mailbox_with_dots_that_smtp_knows_only_in_quotes_gets_them(String name) {
        assertThat(Recipient.of(name + "@docomo.ne.jp").map(mailbox -> mailbox.address().getAddress()))
                .contains('"' + name + "\"@docomo.ne.jp");
    }

    @Test
    void our_own_addresses_are_sent_in_ascii_too() {
        var letterhead = new Letterhead("belege@straße.example", Optional.of("fragen@straße.example"), Locale.GERMAN, ZoneOffset.UTC);
        assertThat(letterhead.from()).isEqualTo("belege@xn--strae-oqa.example");
        assertThat(letterhead.domain()).isEqualTo("xn--strae-oqa.example");
        assertThat(letterhead.replyTo()).contains("fragen@xn--strae-oqa.example");
    }
}
