// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.checker;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.checker.evidence.Calls;
import io.chargeonce.checker.evidence.ClientCall;
import io.chargeonce.checker.evidence.RederivedId;
import io.chargeonce.checker.evidence.RefundCall;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryLinesTest {

    @Test
    void payments_and_refunds_share_a_file_and_come_back_as_they_were(@TempDir Path directory) throws Exception {
        var payment = new ClientCall("acme", "k1", Sample.CONTENT, ClientCall.Result.FAIL, Optional.empty());
        var all = new RefundCall("pay_1", Optional.empty(), OptionalLong.empty(), ClientCall.Result.UNKNOWN, Optional.empty());
        var part = new RefundCall("pay_1", Optional.of("line-2"), OptionalLong.of(5), ClientCall.Result.OK,
                Optional.of("payment-pay_1-refund-line-2"));
        Path file = Files.write(directory.resolve("history"), List.of(payment.toLine(), all.toLine(), part.toLine(), "{\"cut off"));
        var history = new Calls.InFile(file);
        var payments = new ArrayList<ClientCall>();
        var refunds = new ArrayList<RefundCall>();

        history.forEach(payments::add);
        history.forEachRefund(refunds::add);

        assertThat(payments).containsExactly(payment);
        assertThat(refunds).containsExactly(all, part);
        assertThat(part.refundId()).contains(part.entity());
    }

    @Test
    void every_id_is_of_exactly_one_share_and_the_shares_are_alike_in_size() {
        int[] sizes = new int[7];
        for (int i = 0; i < 70_000; i++) {
            String id = RederivedId.ofPayment("acme", "order-" + i);
            int holders = 0;
            for (int number = 0; number < sizes.length; number++) {
                if (new Share(number, sizes.length).holds(id)) {
                    sizes[number]++;
                    holders++;
                }
            }
            assertThat(holders).isOne();
        }
        assertThat(java.util.Arrays.stream(sizes)).allSatisfy(size -> assertThat(size).isBetween(9_000, 11_000));
        assertThat(Share.count(1_000, 256L << 20)).isOne();
        assertThat(Share.count(10_000_000, 1L << 30)).isBetween(5, 10);
    }
}
