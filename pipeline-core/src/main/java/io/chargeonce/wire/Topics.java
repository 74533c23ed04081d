// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names of the pipeline's topics.
 *
 * @param prefix {@code payments} unless two pipelines share a cluster
 */
public record Topics(String prefix) {

    /** The largest possible number of tiers; the settings say how many there are. */
    public static final int MOST_TIERS = 9;

    public Topics {
        if (!prefix.matches("[A-Za-z0-9._-]{1,100}")) {
            throw new IllegalArgumentException(
                    "a topic prefix is 1 to 100 letters, digits, dots, dashes or underscores, not '%s'".formatted(prefix));
        }
    }

    /** Where an operation enters the pipeline, first or after a merge. */
    public String requests() {
        return prefix + ".requests";
    }

    /** Whether the pipeline itself writes or reads this topic. */
    public boolean areOwn(String topic) {
        return Set.of(requests(), deadLetters(), outcomes(), auditSeals(), intakeRefused(), waiting(), overdue(), receipts(), disputes())
                .contains(topic)
                || topic.startsWith(intakePrefix()) || topic.matches(Pattern.quote(prefix + ".retry-") + "[1-9]");
    }

    /** The database has the same pattern, at "target_topic": it knows no prefix. */
    private static final Pattern OF_SOME_PIPELINE = Pattern.compile(".*[.](requests|outcomes|receipts|disputes|dlq|retry-[0-9]+|waiting"
            + "|overdue|audit-seals|intake-refused)|.*[.]intake[.].*|" + AccessPlan.CONSOLES_OWN + ".*");
    private static final Pattern OF_KAFKA = Pattern.compile("__.*|[.]{1,2}");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,249}");

    /** Whether a record of another system may go to a topic of this name. */
    public static boolean mayBeAnothers(String topic) {
        return NAME.matcher(topic).matches() && !OF_KAFKA.matcher(topic).matches() && !OF_SOME_PIPELINE.matcher(topic).matches();
    }

    /** @param tier from 1, the shortest */
    public String retry(int tier) {
        if (tier < 1 || tier > MOST_TIERS) {
            throw new IllegalArgumentException("Bug! There are retry tiers 1 to %d, but no tier %d".formatted(MOST_TIERS, tier));
        }
        return prefix + ".retry-" + tier;
    }

    /** Compacted: the live dead letters, each under its id; a tombstone when one leaves. */
    public String deadLetters() {
        return prefix + ".dlq";
    }

    /** The outcome of each settled payment. */
    public String outcomes() {
        return prefix + ".outcomes";
    }

    /** How each dispute stands, at each change. */
    public String disputes() {
        return prefix + ".disputes";
    }

    /** Every seal on the audit log, for ever. */
    public String auditSeals() {
        return prefix + ".audit-seals";
    }

    /** The prefix of the topics on which merchants send payment requests; the merchant's id follows. */
    public String intakePrefix() {
        return prefix + ".intake.";
    }

    /** Payment requests that were refused, and why. */
    public String intakeRefused() {
        return prefix + ".intake-refused";
    }

    /** Operations that wait only in the database, and until when. */
    public String waiting() {
        return prefix + ".waiting";
    }

    /** Operations that the witness finds overdue, and that are no longer overdue. */
    public String overdue() {
        return prefix + ".overdue";
    }

    /** Successes whose customer gets a receipt from us. */
    public String receipts() {
        return prefix + ".receipts";
    }

    /** The group that mails receipts. */
    public String receiptsGroup() {
        return receipts() + ".workers";
    }

    /** The group that turns outcomes into webhooks. */
    public String webhooksGroup() {
        return prefix + ".webhooks.workers";
    }

    public String intakeGroup() {
        return prefix + ".intake.workers";
    }

    /** The consumer group of a tier's topic; 0 is the main topic's. */
    public String groupOfTier(int tier) {
        return ofTier(tier) + ".workers";
    }

    /** The topic that an operation waits in; tier 0 is the main topic. */
    public String ofTier(int tier) {
        return tier == 0 ? requests() : retry(tier);
    }
}
