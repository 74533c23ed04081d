// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console.witness;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.console.witness.Told.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lives of many payments, made from a seed. In any order, and with any records repeated, they leave the same books. */
class AnyOrderTest {

    private static final int PAYMENTS = 40;
    private static final int ORDERS = 5;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void records_in_any_order_and_repeated_leave_the_same_books(long seed) {
        var random = new Random(seed);
        List<Message> told = lives(random);
        List<Stage> inOrder = books(told);
        assertThat(inOrder).isNotEmpty();
        for (int i = 0; i < ORDERS; i++) {
            List<Message> shuffled = new ArrayList<>(told);
            told.stream().filter(each -> random.nextInt(3) == 0).forEach(shuffled::add);
            Collections.shuffle(shuffled, random);
            assertThat(books(shuffled)).as("seed %d, order %d", seed, i).isEqualTo(inOrder);
        }
    }

    /** Every stage balances, whatever the payments did, and nothing that ended is missed. */
    private static List<Stage> books(List<Message> messages) {
        try (var witness = new Streamed()) {
            messages.forEach(witness::take);
            witness.pass(Duration.ofHours(2));
            List<Stage> stages = witness.board.stages();
            for (Stage stage : stages) {
                assertThat(stage.in()).as(stage.toString()).isEqualTo(stage.out() + stage.inFlight() + stage.difference());
                assertThat(stage.inMoney()).as(stage.toString())
                        .isEqualTo(stage.outMoney() + stage.inFlightMoney() + stage.differenceMoney());
            }
            return stages.stream().map(stage -> new Stage(stage.name(), stage.kind(), stage.currency(), stage.in(),
                    stage.inMoney(), stage.out(), stage.outMoney(), stage.inFlight(), stage.inFlightMoney(), stage.difference(),
                    stage.differenceMoney(), null)).toList();
        }
    }

    private static List<Message> lives(Random random) {
        var told = new ArrayList<Message>();
        for (int i = 0; i < PAYMENTS; i++) {
            String currency = random.nextBoolean() ? "EUR" : "USD";
            Told payment = Told.charge("pay_" + i, 1 + random.nextInt(10_000), currency, Streamed.START);
            live(payment, random, told);
            if (random.nextInt(4) == 0) {
                live(Told.refund("pay_" + i, 1 + random.nextInt(100), currency, Streamed.START), random, told);
            }
        }
        return told;
    }

    private static void live(Told payment, Random random, List<Message> told) {
        Instant at = Streamed.START.plusSeconds(random.nextInt(100));
        told.add(payment.requested(at));
        for (int step = 0; step < 12; step++) {
            at = at.plusSeconds(1 + random.nextInt(30));
            switch (random.nextInt(8)) {
                case 7 -> {
                    told.add(payment.unknownUntil(at.plusSeconds(5), at));
                    told.add(payment.presentedAgainAt(at.plusSeconds(9), at.plusSeconds(6)));
                    at = at.plusSeconds(9);
                    told.add(payment.retriedNow(at));
                }
                case 0, 1 -> told.add(payment.waits(1 + random.nextInt(3), "psp_unwell", at));
                case 2 -> {
                    told.add(payment.succeeds(at));
                    return;
                }
                case 3 -> {
                    told.add(payment.declines("do_not_honor", at));
                    return;
                }
                case 4 -> {
                    told.add(payment.dies("psp_unwell", at));
                    at = at.plusSeconds(5);
                    told.add(payment.leaves("merged", at));
                    told.add(payment.merged(at));
                }
                case 5 -> {
                    told.add(payment.dies("psp_unwell", at));
                    told.add(payment.leaves("purged", at.plusSeconds(1)));
                    return;
                }
                default -> {
                    return;
                }
            }
        }
    }
}
