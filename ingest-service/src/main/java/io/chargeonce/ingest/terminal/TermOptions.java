// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.terminal;

import io.chargeonce.ingest.merchants.MerchantTable.Terms;
import io.chargeonce.ingest.merchants.ReceiptTerms;
import io.chargeonce.payment.DeclineFailover;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/** The settings of a merchant. */
final class TermOptions {

    @Spec(Spec.Target.MIXEE)
    CommandSpec spec;

    @Option(names = "--requests-per-second", paramLabel = "N",
            description = "The most requests a second that one ingest process takes. Default: 0, no limit.")
    Optional<Integer> requestsPerSecond;

    @Option(names = "--duplicate-window", paramLabel = "D",
            description = "How long the same purchase under another key is refused. Default: 10s; 0s is never.")
    Optional<String> duplicateWindow;

    @Option(names = "--represent-declines", paramLabel = "on|off",
            description = "Whether soft declines are presented again within the card networks' limits, for "
                    + "subscriptions only. Default: off.")
    Optional<String> representDeclines;

    @Option(names = "--decline-failover", paramLabel = "never|technical|soft",
            description = "Which declines go to another PSP, once and at once. technical: the issuer could not answer or process the "
                    + "request. soft: also what the issuer refused without a reason. Default: never.")
    Optional<String> declineFailover;

    @Option(names = "--receipt-name", paramLabel = "NAME",
            description = "Its name on receipts. Default: its id. An empty text takes away what was set.")
    Optional<String> receiptName = Optional.empty();

    @Option(names = "--receipt-locale", paramLabel = "L",
            description = "Language and country of its receipts, such as de or fr-CA. Default: as the receipts service has it.")
    Optional<String> receiptLocale = Optional.empty();

    @Option(names = "--receipt-reply-to", paramLabel = "ADDRESS",
            description = "Where answers to its receipts go. Default: as the receipts service has it.")
    Optional<String> receiptReplyTo = Optional.empty();

    Terms terms() {
        try {
            return new Terms(requestsPerSecond, duplicateWindow.map(TermOptions::duration), representDeclines.map(TermOptions::isOn),
                    declineFailover.map(TermOptions::failover),
                    new ReceiptTerms(receiptName, receiptLocale, receiptReplyTo));
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(spec.commandLine(), e.getMessage());
        }
    }

    private static boolean isOn(String text) {
        return switch (text) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("--represent-declines is '" + text + "', but must be on or off");
        };
    }

    private static DeclineFailover failover(String text) {
        return DeclineFailover.fromTag(text).orElseThrow(() -> new IllegalArgumentException(
                "--decline-failover is '" + text + "', but must be never, technical or soft"));
    }

    private static Duration duration(String text) {
        if (!text.matches("\\d{1,6}(ms|s|m|h)")) {
            throw new IllegalArgumentException("--duplicate-window is '" + text + "', but must be a duration such as 500ms, 10s, 5m or 1h");
        }
        return text.endsWith("ms")
                ? Duration.ofMillis(Long.parseLong(text.substring(0, text.length() - 2)))
                : Duration.parse("PT" + text.toUpperCase(java.util.Locale.ROOT));
    }
}
