package io.chargeonce.load.poison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.chargeonce.wire.Decoded;
import java.util.Random;
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
            assertThat(read.on("t").headers().toArray()).hasSameSizeAs(record.on("t").headers().toArray());
        });
    }

    @Test
    void only_what_names_a_payment_that_nobody_accepted_can_be_read_at_all() {
        assertThat(PoisonCorpus.of(new Random(1))).allSatisfy(record -> {
            Decoded decoded = Decoded.from(record.key().orElse(null), record.value().orElse(null));
            boolean aboutNobody = record.kind().equals("unknown payment") || record.kind().startsWith("forged attempt");
            assertThat(decoded instanceof Decoded.Request).as(record.kind()).isEqualTo(aboutNobody);
        });
    }

    @Test
    void a_line_that_is_no_record_is_refused() {
        assertThatThrownBy(() -> CorpusRecord.fromLine("{}")).hasMessageContaining("base64");
    }
}
