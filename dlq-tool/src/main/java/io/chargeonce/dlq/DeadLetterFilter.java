package io.chargeonce.dlq;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Which dead letters are meant. Every condition that is given must hold.
 *
 * @param ids       when given, only these
 * @param olderThan dead for at least so long
 * @param newerThan dead for less than that
 * @param text      occurs in the message (in any case), or in a poison record's bytes, or is the id
 */
public record DeadLetterFilter(
        Optional<List<String>> ids,
        Optional<String> cause,
        Optional<String> psp,
        Optional<String> merchant,
        Optional<Duration> olderThan,
        Optional<Duration> newerThan,
        Optional<String> text,
        Optional<Standing> standing,
        Traits traits) {

    public DeadLetterFilter {
        ids = ids.map(named -> named.stream().distinct().toList());
        if (ids.filter(List::isEmpty).isPresent()) {
            throw new IllegalArgumentException("Bug! A filter by ids names at least one");
        }
    }

    public static DeadLetterFilter everything() {
        return new DeadLetterFilter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Traits.ANY);
    }

    public static DeadLetterFilter ofIds(List<String> ids) {
        return new DeadLetterFilter(Optional.of(ids), Optional.empty(), Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Traits.ANY);
    }

    public DeadLetterFilter standing(Standing only) {
        return new DeadLetterFilter(ids, cause, psp, merchant, olderThan, newerThan, text, Optional.of(only), traits);
    }

    public DeadLetterFilter traits(Traits only) {
        return new DeadLetterFilter(ids, cause, psp, merchant, olderThan, newerThan, text, standing, only);
    }

    public boolean isEverything() {
        return equals(everything());
    }
}
