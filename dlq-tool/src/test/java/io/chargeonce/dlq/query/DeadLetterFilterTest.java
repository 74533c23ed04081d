// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import static org.assertj.core.api.Assertions.assertThat;

import io.chargeonce.dlq.run.DlqRuns;
import io.chargeonce.dlq.run.RunKind;
import io.chargeonce.dlq.run.RunTerms;
import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.QueueRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class DeadLetterFilterTest {

    private static final DeadLetterFilter ALL = DeadLetterFilter.everything();

    @RegisterExtension
    private static final QueueRows rows = new QueueRows();

    @Test
    void every_condition_narrows() {
        String mine = rows.dead("globex", 100, "EUR", "Broken Pipe");
        String other = rows.dead();
        String poison = rows.poison("{\"order\":\"order-1001\"}".getBytes());
        assertThat(ids(with(Optional.of("psp_unwell"), Optional.empty(), Optional.empty()))).containsExactly(other, mine);
        assertThat(ids(with(Optional.empty(), Optional.of("globex"), Optional.empty()))).containsExactly(mine);
        assertThat(ids(with(Optional.empty(), Optional.empty(), Optional.of("broken pipe")))).containsExactly(mine);
        assertThat(ids(with(Optional.empty(), Optional.empty(), Optional.of("order-1001")))).as("what poison holds is sealed").isEmpty();
        assertThat(ids(with(Optional.empty(), Optional.empty(), Optional.of(poison)))).containsExactly(poison);
        assertThat(ids(with(Optional.of("psp_unwell"), Optional.of("globex"), Optional.of("no such text")))).isEmpty();
        assertThat(ids(DeadLetterFilter.ofIds(List.of(poison, "psn_none")))).containsExactly(poison);
        assertThat(ids(ALL.standing(MoneyStatus.POISON))).containsExactly(poison);
    }

    @Test
    void every_trait_narrows() {
        String small = rows.dead("acme", 100, "EUR", "m");
        String large = rows.dead("acme", 9000, "USD", "m");
        String again = rows.dead("acme", 500, "EUR", "m");
        AuditContext by = AuditContext.of("ann", Optional.empty());
        new DlqRuns(rows.queue()).unattended(RunKind.MERGE, Plan.of(rows.queue(), DeadLetterFilter.ofIds(List.of(again))), by,
                RunTerms.UNATTENDED);
        rows.retry(again, 2, "m");
        rows.fail(again, "m");
        rows.poison(new byte[] {1});
        assertThat(ids(ALL.traits(traits("currency", "USD")))).containsExactly(large);
        assertThat(ids(ALL.traits(traits("atLeast", "500")))).containsExactly(again, large);
        assertThat(ids(ALL.traits(traits("atMost", "500")))).containsExactly(again, small);
        assertThat(ids(ALL.traits(traits("tier", "2")))).containsExactly(again);
        assertThat(ids(ALL.traits(traits("generation", "1")))).containsExactly(large, small);
        assertThat(ids(ALL.traits(traits("run", by.run())))).containsExactly(again);
    }

    private static PaymentCriteria traits(String name, String value) {
        Optional<String> given = Optional.of(value);
        return new PaymentCriteria(given.filter(v -> name.equals("currency")),
                given.filter(v -> name.equals("atLeast")).map(Long::valueOf), given.filter(v -> name.equals("atMost")).map(Long::valueOf),
                given.filter(v -> name.equals("tier")).map(Integer::valueOf),
                given.filter(v -> name.equals("generation")).map(Integer::valueOf), given.filter(v -> name.equals("run")),
                false, PaymentNames.ANY);
    }

    @Test
    void the_largest_come_first_page_by_page() {
        rows.dead(600);
        String large = rows.dead("acme", 9000, "EUR", "m");
        List<String> listed = new ArrayList<>();
        new Listing(rows.queue()).pages(ALL, Order.LARGEST_FIRST, Long.MAX_VALUE, page -> page.forEach(letter -> listed.add(letter.id())));
        assertThat(listed).hasSize(601).doesNotHaveDuplicates().first().isEqualTo(large);
    }

    @Test
    void a_summary_says_until_when_a_psp_still_knows_the_key_and_takes_alike_causes_together() {
        rows.unresolved();
        Summary.Group group = Summary.of(rows.queue(), ALL).groups().getFirst();
        assertThat(group.cause()).isEqualTo("unresolved: gateway_timed_out");
        assertThat(group.keyValidUntil()).isPresent();
    }

    @Test
    void a_key_that_is_forgotten_hides_none_that_lapses_soon() {
        String soon = rows.unresolved();
        rows.unresolvedAndAsked(true);
        rows.unresolvedAndAsked(true);
        Summary.Group group = Summary.of(rows.queue(), ALL).groups().getFirst();
        String until = rows.text("SELECT key_valid_until AT TIME ZONE 'UTC' FROM payment_attempt WHERE operation_id = '" + soon + "'");
        assertThat(group.keyValidUntil().orElseThrow()).isEqualTo(until.replace(' ', 'T') + "Z");
        assertThat(group.keysForgotten()).isEqualTo(2);
    }

    @Test
    void a_summary_begins_with_the_most_money_and_ends_with_poison() {
        rows.poison(new byte[] {1});
        rows.poison(new byte[] {2});
        rows.dead("acme", 100, "EUR", "m");
        rows.dead("acme", 100, "EUR", "m");
        rows.dead("globex", 900_000, "EUR", "m");
        assertThat(Summary.of(rows.queue(), ALL).groups()).extracting(group -> group.merchant().orElse("poison"))
                .containsExactly("globex", "acme", "poison");
    }

    @Test
    void a_cause_may_be_named_as_a_summary_names_it() {
        String unresolved = rows.unresolved();
        rows.dead();
        assertThat(ids(caused("unresolved: gateway_timed_out"))).containsExactly(unresolved);
        assertThat(ids(caused("unresolved"))).containsExactly(unresolved);
        assertThat(ids(caused("unresolved: else"))).isEmpty();
    }

    private static DeadLetterFilter caused(String cause) {
        return new DeadLetterFilter(Optional.empty(), Optional.of(cause), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), PaymentCriteria.ANY);
    }

    @Test
    void an_age_divides_the_queue_in_two() {
        String old = rows.dead();
        String fresh = rows.dead();
        rows.text("UPDATE dead_letter SET died_at = died_at - interval '2 hours' WHERE dead_letter_id = '" + old + "' RETURNING 1");
        assertThat(ids(aged(Optional.of(Duration.ofHours(1)), Optional.empty()))).containsExactly(old);
        assertThat(ids(aged(Optional.empty(), Optional.of(Duration.ofHours(1))))).containsExactly(fresh);
        assertThat(ids(aged(Optional.of(Duration.ofHours(1)), Optional.of(Duration.ofHours(3))))).containsExactly(old);
    }

    @Test
    void pages_follow_each_other_without_gaps_and_repeats() {
        List<String> buried = rows.dead(1203);
        List<String> listed = new ArrayList<>();
        List<Integer> pages = new ArrayList<>();
        boolean more = new Listing(rows.queue()).pages(ALL, Order.OLDEST_FIRST, Long.MAX_VALUE, page -> {
            pages.add(page.size());
            page.forEach(letter -> listed.add(letter.id()));
        });
        assertThat(more).isFalse();
        assertThat(pages).containsExactly(500, 500, 203);
        assertThat(listed).isEqualTo(buried);
        List<String> first = new ArrayList<>();
        assertThat(new Listing(rows.queue()).pages(ALL, Order.OLDEST_FIRST, 501, page -> page.forEach(letter -> first.add(letter.id()))))
                .isTrue();
        assertThat(first).isEqualTo(buried.subList(0, 501));
        assertThat(new Listing(rows.queue()).pages(ALL, Order.NEWEST_FIRST, 1203, page -> {})).isFalse();
    }

    @Test
    void a_summary_groups_with_money_and_says_where_each_group_stands() {
        rows.dead();
        rows.dead();
        rows.dead("acme", 5000, "JPY", "the PSP answered 500");
        rows.unresolved();
        rows.poison(new byte[] {1});
        Summary summary = Summary.of(rows.queue(), ALL);
        Summary.Group largest = summary.groups().getFirst();
        assertThat(largest.cause()).isEqualTo("psp_unwell");
        assertThat(largest.psp()).contains("stripe");
        assertThat(largest.sum().count()).isEqualTo(3);
        assertThat(largest.sum().moneyLines()).containsExactly("25.98 EUR", "5000 JPY");
        assertThat(largest.standings().of(MoneyStatus.RECHARGEABLE).count()).isEqualTo(3);
        assertThat(summary.groups()).hasSize(3);
        assertThat(summary.total().moneyLines()).containsExactly("25.98 EUR", "5700 JPY");
    }

    private static DeadLetterFilter with(Optional<String> cause, Optional<String> merchant, Optional<String> text) {
        return new DeadLetterFilter(Optional.empty(), cause, Optional.empty(), merchant, Optional.empty(), Optional.empty(),
                Optional.empty(),
                Optional.empty(), text,
                Optional.empty(), PaymentCriteria.ANY);
    }

    private static DeadLetterFilter aged(Optional<Duration> olderThan, Optional<Duration> newerThan) {
        return new DeadLetterFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), olderThan, newerThan,
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), PaymentCriteria.ANY);
    }

    /** Newest first. */
    private static List<String> ids(DeadLetterFilter filter) {
        var ids = new ArrayList<String>();
        new Listing(rows.queue()).pages(filter, Order.NEWEST_FIRST, 100, page -> page.forEach(letter -> ids.add(letter.id())));
        return ids;
    }
}
