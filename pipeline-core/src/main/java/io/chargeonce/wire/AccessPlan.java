// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What each service may do in Kafka: one principal per service, each with the least rights. Creating is idempotent.
 *
 * @param tiers how many retry tiers are configured
 */
public record AccessPlan(Topics topics, int tiers) {

    public static final String INGEST = "User:chargeonce-ingest";
    public static final String CHARGE = "User:chargeonce-charge";
    public static final String RETRY = "User:chargeonce-retry";
    public static final String CONSOLE = "User:chargeonce-console";
    /** The prefix of all that the witness's Kafka Streams creates for itself: groups, transactions, topics. */
    public static final String CONSOLES_OWN = "chargeonce-console";

    public List<AclBinding> all() {
        var plan = new ArrayList<AclBinding>();
        // Any service's relay publishes any staged record, so each may write to every topic that records are staged for.
        List<String> staged = new ArrayList<>(List.of(topics.requests(), topics.deadLetters(), topics.outcomes(), topics.auditSeals(),
                topics.intakeRefused(), topics.waiting()));
        for (int tier = 1; tier <= tiers; tier++) {
            staged.add(topics.retry(tier));
            plan.addAll(reads(RETRY, topics.retry(tier), topics.groupOfTier(tier)));
            // The sweeper reads the offsets of the tiers' groups, and their records that are not finished.
            plan.addAll(topic(CHARGE, topics.retry(tier), AclOperation.READ));
            plan.add(group(CHARGE, topics.groupOfTier(tier), AclOperation.DESCRIBE));
        }
        for (String topic : staged) {
            for (String relay : List.of(INGEST, CHARGE, RETRY)) {
                plan.addAll(topic(relay, topic, AclOperation.WRITE, AclOperation.DESCRIBE));
            }
        }
        plan.addAll(reads(CHARGE, topics.requests(), topics.groupOfTier(0)));
        plan.addAll(intake());
        plan.addAll(console());
        return plan;
    }

    /** The console reads what the pipeline publishes and how far its groups are. Of the pipeline's topics it writes its own only. */
    private List<AclBinding> console() {
        var plan = new ArrayList<AclBinding>();
        for (int tier = 0; tier <= tiers; tier++) {
            plan.addAll(topic(CONSOLE, topics.ofTier(tier), AclOperation.READ, AclOperation.DESCRIBE));
            plan.add(group(CONSOLE, topics.groupOfTier(tier), AclOperation.DESCRIBE));
        }
        plan.addAll(topic(CONSOLE, topics.outcomes(), AclOperation.READ, AclOperation.DESCRIBE));
        plan.addAll(topic(CONSOLE, topics.deadLetters(), AclOperation.READ, AclOperation.DESCRIBE));
        plan.addAll(topic(CONSOLE, topics.waiting(), AclOperation.READ, AclOperation.DESCRIBE));
        plan.addAll(topic(CONSOLE, topics.overdue(), AclOperation.WRITE, AclOperation.DESCRIBE));
        for (AclOperation operation : List.of(AclOperation.READ, AclOperation.WRITE, AclOperation.CREATE, AclOperation.DELETE,
                AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS)) {
            plan.add(own(ResourceType.TOPIC, operation));
        }
        plan.add(own(ResourceType.GROUP, AclOperation.READ));
        plan.add(own(ResourceType.GROUP, AclOperation.DESCRIBE));
        plan.add(own(ResourceType.TRANSACTIONAL_ID, AclOperation.WRITE));
        plan.add(own(ResourceType.TRANSACTIONAL_ID, AclOperation.DESCRIBE));
        return plan;
    }

    private static AclBinding own(ResourceType type, AclOperation operation) {
        return new AclBinding(new ResourcePattern(type, CONSOLES_OWN, PatternType.PREFIXED), allow(CONSOLE, operation));
    }

    private List<AclBinding> intake() {
        var plan = new ArrayList<AclBinding>();
        var everyMerchants = new ResourcePattern(ResourceType.TOPIC, topics.intakePrefix(), PatternType.PREFIXED);
        plan.add(new AclBinding(everyMerchants, allow(INGEST, AclOperation.READ)));
        plan.add(new AclBinding(everyMerchants, allow(INGEST, AclOperation.DESCRIBE)));
        plan.add(group(INGEST, topics.intakeGroup(), AclOperation.READ));
        return plan;
    }

    /**
     * Creates the missing ACLs.
     *
     * @return false if the brokers have no authorizer, and so allow everything
     */
    public boolean create(Admin admin) {
        try {
            admin.createAcls(all()).all().get();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while creating ACLs", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SecurityDisabledException) {
                return false;
            }
            throw new KafkaException("ACLs could not be created: " + e.getCause().getMessage(), e.getCause());
        }
    }

    private static List<AclBinding> reads(String principal, String topic, String group) {
        var plan = new ArrayList<>(topic(principal, topic, AclOperation.READ, AclOperation.DESCRIBE));
        plan.add(group(principal, group, AclOperation.READ));
        return plan;
    }

    private static List<AclBinding> topic(String principal, String topic, AclOperation... operations) {
        var resource = new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL);
        return Arrays.stream(operations).map(operation -> new AclBinding(resource, allow(principal, operation))).toList();
    }

    private static AclBinding group(String principal, String group, AclOperation operation) {
        return new AclBinding(new ResourcePattern(ResourceType.GROUP, group, PatternType.LITERAL), allow(principal, operation));
    }

    private static AccessControlEntry allow(String principal, AclOperation operation) {
        return new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW);
    }
}
