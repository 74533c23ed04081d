// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.poison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.wire.Decoded;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

class PoisonCorpusTest {

    @Test
    void every_kind_is_there_once_and_survives_a_file() {
        var corpus = PoisonCorpus.of(new Random(1));
        assertThat(corpus).extracting(CorpusRecord::kind).doesNotHaveDuplicates();
        assertThat(corpus).allSatisfy(record -> {
            CorpusRecord read = CorpusRecord.fromLine(record.toLine());
            assertThat(read.on("t").key()).isEqualTo(record.on("t").key());
            assertThat(read.on("t").value()).isEqualTo(record.on("t").value());
            assertThat(read.on("t").headers()).isEqualTo(record.on("t").headers());
        });
    }

    @Test
    void only_records_that_name_a_payment_never_accepted_can_be_read() {
        assertThat(PoisonCorpus.of(new Random(1))).allSatisfy(record -> {
            Decoded decoded = Decoded.from(record.key().orElse(null), record.value().orElse(null));
            boolean aboutNobody = record.kind().equals("unknown payment") || record.kind().startsWith("forged attempt");
            assertThat(decoded instanceof Decoded.Request).as(record.kind()).isEqualTo(aboutNobody);
        });
    }

    @Test
    void an_exported_poison_record_is_put_back_byte_for_byte_with_its_headers() {
        String headers = Base64.getEncoder().encodeToString("[{\"name\":\"attempt\",\"value\":\"99\"}]".getBytes(StandardCharsets.UTF_8));
        ProducerRecord<byte[], byte[]> record = CorpusRecord.fromLine("""
                {"dead_letter_id":"psn_1","cause":"undecodable","source":{"topic":"payments.requests","partition":0,"offset":3,
                 "key":"a2V5","value":"bm8gSlNPTg==","headers":"%s"}}""".formatted(headers)).on("t");
        assertThat(record.key()).asString().isEqualTo("key");
        assertThat(record.value()).asString().isEqualTo("no JSON");
        assertThat(record.headers().lastHeader("attempt").value()).asString().isEqualTo("99");
    }

    @Test
    void an_exported_payment_comes_back_as_the_request_that_it_began_with() {
        String id = "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa";
        CorpusRecord read = CorpusRecord.fromLine("""
                {"dead_letter_id":"%s","payment_id":"%1$s","cause":"psp_unwell","merchant":"acme","amount":5,"currency":"EUR",
                 "payment":{"idempotency_key":"k","payment_method":"pm_card_visa","reference":"r"}}""".formatted(id));
        Decoded decoded = Decoded.from(read.key().orElseThrow(), read.value().orElseThrow());
        assertThat(decoded).isInstanceOfSatisfying(Decoded.Request.class, request -> {
            assertThat(request.record().operationId()).isEqualTo(id);
            assertThat(request.record().step()).isEqualTo(1);
            assertThat(request.record().amount()).isEqualTo(5);
        });
    }

    @Test
    void an_exported_refund_comes_back_as_a_refund_of_its_payment() {
        String id = "pay_aaaaaaaaaaaaaaaaaaaaaaaaaa";
        CorpusRecord read = CorpusRecord.fromLine("""
                {"dead_letter_id":"payment-%s-refund-r","cause":"psp_unwell","merchant":"acme","amount":5,"currency":"EUR",
                 "payment":{"payment_id":"%1$s","operation":"refund","idempotency_key":"k","payment_method":"pm_card_visa"}}"""
                .formatted(id));
        assertThat(Decoded.from(read.key().orElseThrow(), read.value().orElseThrow())).isInstanceOfSatisfying(Decoded.Request.class,
                request -> {
                    assertThat(request.record().operation()).isEqualTo("refund");
                    assertThat(request.record().paymentId()).isEqualTo(id);
                    assertThat(request.record().operationId()).isEqualTo("payment-" + id + "-refund-r");
                });
    }

    @Test
    void a_payment_that_was_exported_masked_is_refused_for_it_would_be_another_one() {
        assertThatThrownBy(() -> CorpusRecord.fromLine("""
                {"dead_letter_id":"pay_aaaaaaaaaaaaaaaaaaaaaaaaaa","merchant":"acme","amount":5,"currency":"EUR",
                 "payment":{"idempotency_key":"k","payment_method":"************"}}""")).hasMessageContaining("--unmasked");
    }

    @Test
    void a_line_that_is_no_record_is_refused() {
        assertThatThrownBy(() -> CorpusRecord.fromLine("{}")).hasMessageContaining("base64");
    }
}
