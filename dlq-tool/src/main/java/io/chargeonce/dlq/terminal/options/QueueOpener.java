// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.options;

import io.chargeonce.dlq.DeadLetterQueue;
import picocli.CommandLine.Model.CommandSpec;

/** Opens the queue for a command, closes it, and turns a failure of Postgres or Kafka into a message. */
public interface QueueOpener {

    /** What a command does with the open queue; returns the exit code. */
    interface Action {
        int on(DeadLetterQueue queue);
    }

    int with(CommandSpec command, Action action);
}
