// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.page;

import io.chargeonce.dlq.query.MoneyStatus;
import io.chargeonce.dlq.words.Words;
import io.chargeonce.terminal.Screen;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Predicate;

/** Says below a table why a merge treats some of its dead letters otherwise than by charging again. */
final class MergeNotes {

    private MergeNotes() {}

    static void print(Predicate<MoneyStatus> isPresent, Function<MoneyStatus, String> inWords, Screen screen) {
        Arrays.stream(MoneyStatus.values()).filter(standing -> standing != MoneyStatus.RECHARGEABLE).filter(isPresent)
                .forEach(standing -> screen.say("%s: %s.".formatted(inWords.apply(standing), Words.whyByMerge(standing))));
    }
}
