// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.notifications.terminal;

import io.chargeonce.terminal.Column;
import io.chargeonce.terminal.Screen;
import io.chargeonce.terminal.Table;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import picocli.CommandLine.Option;

/** A command that lists. */
public abstract class MessageListCommand<P> extends MessageCommand<P> {

    @Option(names = "--json", description = "Print JSON, one object a line.")
    boolean json;

    protected final <E> int list(List<E> entries, List<Column<E>> columns, Function<E, Map<String, Object>> object) {
        if (json) {
            entries.forEach(entry -> say(object.apply(entry)));
        } else {
            Table.withEveryColumn(Screen.of(spec), columns).print(entries);
        }
        return 0;
    }

    protected final void check(int limit, Optional<String> state, List<String> states) {
        if (limit < 1 || limit > 1_000_000 || state.filter(given -> !states.contains(given)).isPresent()) {
            throw wrong("--limit must be from 1 to 1,000,000, and --state one of " + states);
        }
    }
}
