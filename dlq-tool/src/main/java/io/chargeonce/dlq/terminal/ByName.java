// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.query.KnownValues;
import io.chargeonce.dlq.query.PaymentNames;
import io.chargeonce.dlq.query.PaymentSearch;
import io.chargeonce.dlq.query.PaymentSearch.Found;
import io.chargeonce.dlq.terminal.screen.ProgressMessage;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import picocli.CommandLine.Model.CommandSpec;

/** What a person typed to name one payment: its id, or what the merchant or the PSP calls it. */
record ByName(CommandSpec command, boolean json) {

    /**
     * @param byId    looks by an id
     * @param fits    which of the payments with this name the command can show
     * @param nothing the message when there is none, formatted with the name
     * @return empty if the name fits none or several; then a message was printed
     */
    <T> Optional<T> one(DeadLetterQueue queue, String name, Function<String, Optional<T>> byId, Predicate<Found> fits, String nothing) {
        Optional<T> named = byId.apply(name);
        if (named.isPresent()) {
            return named;
        }
        List<Found> found = ProgressMessage.say("looking for '%s' in all payments".formatted(Printable.of(name)), command, json,
                () -> PaymentSearch.find(queue, name));
        List<Found> fitting = found.stream().filter(fits).toList();
        if (fitting.size() == 1) {
            return byId.apply(fitting.getFirst().id());
        }
        if (found.isEmpty()) {
            tell(nothing.formatted(Printable.of(name)));
        } else if (fitting.isEmpty()) {
            tell("'%s' is no dead letter and never was one; chargeonce dlq why tells the life of:".formatted(Printable.of(name)));
            found.forEach(this::tell);
        } else {
            tell("'%s' names more than one%s: name one by its id".formatted(Printable.of(name),
                    found.size() == PaymentSearch.MOST ? ", the newest of which are" : ""));
            fitting.forEach(this::tell);
        }
        return Optional.empty();
    }

    /** Those of the names that nothing has. The look may take long. */
    static List<KnownValues.Unknown> missing(CommandSpec command, DeadLetterQueue queue, PaymentNames names) {
        return names.equals(PaymentNames.ANY) ? List.of()
                : ProgressMessage.say("looking for it in all payments", command, false, () -> KnownValues.missing(queue, names));
    }

    /** What has a name, where a command selected nothing by it. */
    void tellOf(DeadLetterQueue queue, String name) {
        tell("nothing with the name '%s' waits so; chargeonce dlq why tells the life of:".formatted(Printable.of(name)));
        PaymentSearch.find(queue, name).forEach(this::tell);
    }

    private void tell(Found found) {
        print("  %s".formatted(found.id()));
        print("    %s %s of %s, %s".formatted(found.kind(), found.money(), found.merchant(), found.state()));
    }

    private void tell(String message) {
        Screen.tell(command, message);
    }

    private void print(String line) {
        command.commandLine().getErr().println(line);
        command.commandLine().getErr().flush();
    }
}
