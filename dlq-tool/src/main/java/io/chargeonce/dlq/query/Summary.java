// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.query;

import io.chargeonce.database.Sql;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.Sum;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Dead letters grouped by cause, PSP and merchant. The most money comes first, and what has no money last. */
public record Summary(List<Group> groups) {

    private record Name(String cause, Optional<String> psp, Optional<String> merchant) {}

    /**
     * @param cause         normalised, so that similar causes are one group
     * @param oldest        age of the group's oldest dead letter
     * @param since         when that one died
     * @param keyValidUntil when the PSP forgets the next key of an attempt that may have taken money
     * @param keysForgotten how many such keys it has forgotten already
     */
    public record Group(String cause, Optional<String> psp, Optional<String> merchant, SumsByKind<MoneyStatus> standings,
            Duration oldest, Instant since, Optional<Instant> keyValidUntil, long keysForgotten) {

        public Sum sum() {
            return standings.total();
        }
    }

    public Sum total() {
        return groups.stream().map(Group::sum).reduce(Sum.NOTHING, Sum::plus);
    }

    public Optional<Duration> oldest() {
        return groups.stream().map(Group::oldest).max(Comparator.naturalOrder());
    }

    /** When the oldest of all died. */
    public Optional<Instant> since() {
        return groups.stream().map(Group::since).min(Comparator.naturalOrder());
    }

    /** When the oldest of those with money died. Poison has none, and is in no group with money. */
    public Optional<Instant> moneySince() {
        return groups.stream().filter(group -> !group.sum().money().isEmpty()).map(Group::since).min(Comparator.naturalOrder());
    }

    /** Of the queue. */
    public static Summary of(DeadLetterQueue queue, DeadLetterFilter filter) {
        return of(queue, filter, Selection.From.THE_QUEUE);
    }

    public static Summary of(DeadLetterQueue queue, DeadLetterFilter filter, Selection.From from) {
        return queue.database().withConnection(connection -> read(connection, Selection.now(connection, filter, from)));
    }

    private static final String GROUPS = """
            SELECT cause, psp, merchant_id, standing, currency, count(*), sum(amount),
                   (extract(epoch FROM clock_timestamp() - min(died_at)) * 1000)::bigint,
                   min(key_valid_until) FILTER (WHERE standing = 'unresolved' AND key_valid_until > clock_timestamp()), min(died_at),
                   count(*) FILTER (WHERE standing = 'unresolved' AND key_valid_until <= clock_timestamp())
              FROM (SELECT \
            """ + DeadLetterQuery.ALIKE + """
             AS cause, known.key_valid_until, letter.psp, letter.merchant_id, letter.currency, letter.amount, letter.died_at,
            """ + DeadLetterQuery.STANDING + " AS standing\n%s) AS letters GROUP BY cause, psp, merchant_id, standing, currency";

    private static Summary read(Connection connection, Selection selection) throws SQLException {
        Map<Name, Group> groups = new LinkedHashMap<>();
        for (Group group : Sql.all(connection, GROUPS.formatted(DeadLetterQuery.selected(selection.from())), Summary::group,
                DeadLetterQuery.values(selection))) {
            groups.merge(new Name(group.cause, group.psp, group.merchant), group, Summary::together);
        }
        var sorted = new ArrayList<>(groups.values());
        sorted.sort(Comparator.comparing(Group::sum, Sum.MOST_MONEY_FIRST).thenComparing(Group::cause)
                .thenComparing(group -> group.merchant().orElse("")));
        return new Summary(List.copyOf(sorted));
    }

    private static Group group(ResultSet row) throws SQLException {
        var sums = new SumsByKind<MoneyStatus>();
        sums.add(MoneyStatus.fromTag(row.getString(4)), Sum.ofRow(row.getString(5), row.getLong(6), row.getLong(7)));
        return new Group(row.getString(1), Optional.ofNullable(row.getString(2)), Optional.ofNullable(row.getString(3)), sums,
                Duration.ofMillis(Math.max(0, row.getLong(8))), Sql.instant(row, 10), Optional.ofNullable(Sql.instant(row, 9)),
                row.getLong(11));
    }

    private static Group together(Group group, Group more) {
        group.standings.addAll(more.standings);
        return new Group(group.cause, group.psp, group.merchant, group.standings,
                group.oldest.compareTo(more.oldest) >= 0 ? group.oldest : more.oldest,
                group.since.isBefore(more.since) ? group.since : more.since,
                Stream.of(group.keyValidUntil, more.keyValidUntil).flatMap(Optional::stream).min(Comparator.naturalOrder()),
                group.keysForgotten + more.keysForgotten);
    }
}
