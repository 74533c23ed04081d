// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal;

import io.chargeonce.dlq.AuditContext;
import io.chargeonce.dlq.DeadLetterQueue;
import io.chargeonce.dlq.input.InputProblems;
import io.chargeonce.dlq.query.Mask;
import io.chargeonce.dlq.story.Edit;
import io.chargeonce.dlq.story.Story;
import io.chargeonce.dlq.terminal.options.ActsAs;
import io.chargeonce.dlq.terminal.options.CommonOptions;
import io.chargeonce.dlq.terminal.screen.Editor;
import io.chargeonce.dlq.terminal.screen.JsonLines;
import io.chargeonce.dlq.terminal.screen.LineDifference;
import io.chargeonce.terminal.Screen;
import io.chargeonce.text.Printable;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(name = "edit", usageHelpAutoWidth = true, sortOptions = false,
        description = {"Opens a poison record in your editor, shows what you changed, and keeps it beside the original record.",
            "The editor shows it unmasked, and the audit log records that first. What is printed has card tokens and personal fields "
                    + "masked.",
            "It sends nothing; merge does. Amount, currency, merchant, payment method and key cannot be changed. The "
                    + "result must agree with the accepted payment."},
        exitCodeList = "1:there is no such poison record, the edit was refused, or nothing was edited",
        footer = {"  Mend a record that a producer cut off, then send it:",
            "    chargeonce dlq edit psn_0123456789abcdef --reason \"a brace was missing\"",
            "    chargeonce dlq merge psn_0123456789abcdef --yes"})
final class EditCommand implements Callable<Integer> {

    private static final int NO = 1;

    @ParentCommand
    DlqCommand dlq;

    @Spec
    CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The dead letter's id, as list shows it.")
    String id;

    @Option(names = "--reason", paramLabel = "TEXT", description = "Why; kept in the audit log.")
    Optional<String> reason;

    @Option(names = "--editor", paramLabel = "COMMAND", defaultValue = "${env:VISUAL:-${env:EDITOR:-vi}}",
            description = "The editor, called with the name of a file. The default is $VISUAL or $EDITOR.")
    String editor;

    @Mixin
    CommonOptions common;

    @Override
    public Integer call() {
        var problems = new InputProblems();
        problems.needsReason(reason);
        return problems.any() ? problems.print(spec) : dlq.with(spec, this::edit);
    }

    private int edit(DeadLetterQueue queue) {
        Optional<Story> story = Story.of(queue, id);
        Optional<String> obstacle = story.isEmpty() ? Optional.of("no dead letter ever had this id; list shows those that there are")
                : new Edit(queue).obstacle(story.get());
        if (obstacle.isPresent()) {
            return refuse(List.of("%s cannot be edited: %s".formatted(id, obstacle.get())));
        }
        byte[] before = story.get().edited().or(() -> story.get().source().orElseThrow().value()).orElse(new byte[0]);
        AuditContext by = ActsAs.auditContext(spec, queue, reason);
        new Edit(queue).opened(story.get(), by);
        try {
            return edit(queue, story.get(), before, by);
        } catch (IOException e) {
            return refuse(List.of(e.getMessage() + "; nothing was changed"));
        }
    }

    private int edit(DeadLetterQueue queue, Story story, byte[] before, AuditContext by) throws IOException {
        var typed = Editor.on(before, editor);
        int exit = NO;
        try {
            byte[] after = typed.edit();
            exit = Arrays.equals(before, after) ? refuse(List.of("nothing was changed in the editor"))
                    : keep(queue, story, before, after, by);
            return exit;
        } finally {
            if (exit == 0 || Arrays.equals(before, typed.text())) {
                typed.delete();
            } else {
                refuse(List.of("what you typed is in %s; to go on from there, repeat the command with --editor 'cp %1$s \"$1\"; %s'"
                        .formatted(typed.file(), editor)));
            }
        }
    }

    private int keep(DeadLetterQueue queue, Story story, byte[] before, byte[] after, AuditContext by) {
        List<String> refusals = new Edit(queue).keep(story, after, by);
        Screen screen = Screen.of(spec);
        if (common.json) {
            JsonLines.print(screen, Map.of("dead_letter_id", id, "kept", refusals.isEmpty(), "refusals", refusals, "run", by.run()));
        } else {
            LineDifference.of(before, after).forEach(line -> screen.print("%s", Printable.of(Mask.personal(line))));
        }
        if (!refusals.isEmpty()) {
            return refuse(refusals.stream().map(why -> "the edit is refused: %s; nothing was changed".formatted(why)).toList());
        }
        if (!common.json) {
            screen.say("Kept as %s by %s, beside the record as it was found. To send it: chargeonce dlq merge %s --yes"
                    .formatted(by.run(), by.actor(), id));
        }
        return 0;
    }

    private int refuse(List<String> whys) {
        whys.forEach(why -> Screen.tell(spec, why));
        return NO;
    }
}
