// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.SecurityDisabledException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;

/**
 * What each service and person may do in Kafka: one principal per service, each with the least rights. Applying is idempotent.
 *
 * @param tiers how many retry tiers are configured
 * @param others topics of other systems whose dead letters people take in, and to which relays send them back
 */
public record AccessPlan(Topics topics, int tiers, List<String> others) {

    public static final String INGEST = "User:chargeonce-ingest";
    public static final String CHARGE = "User:chargeonce-charge";
    public static final String RETRY = "User:chargeonce-retry";
    /** Reads outcomes and disputes, and writes nothing. */
    public static final String WEBHOOKS = "User:chargeonce-webhooks";
    /** Reads what gets a receipt, and writes nothing. */
    public static final String RECEIPTS = "User:chargeonce-receipts";
    public static final String CONSOLE = "User:chargeonce-console";
    /** The prefix of all that the witness's Kafka Streams creates for itself: groups, transactions, topics. */
    public static final String CONSOLES_OWN = "chargeonce-console";
    /** For people: {@code dlq verify} and {@code dlq audit --verify} read what was published. */
    public static final String ON_CALL = "User:chargeonce-on-call";
    /** Runs {@code migrate}. It grants rights, so it is as trusted as an administrator of Kafka. */
    public static final String MIGRATE = "User:chargeonce-migrate";
    private static final String OURS = "User:chargeonce-";
    private static final String EVERYONE = "User:*";

    private static final AclBindingFilter ALLOWING = new AclBindingFilter(ResourcePatternFilter.ANY,
            new AccessControlEntryFilter(null, null, AclOperation.ANY, AclPermissionType.ALLOW));

    public AccessPlan(Topics topics, int tiers) {
        this(topics, tiers, List.of());
    }

    public List<AclBinding> all() {
        var plan = new ArrayList<AclBinding>();
        // Any service's relay publishes any staged record, so each may write to every topic that records are staged for.
        List<String> staged = new ArrayList<>(List.of(topics.requests(), topics.deadLetters(), topics.outcomes(), topics.auditSeals(),
                topics.intakeRefused(), topics.waiting(), topics.receipts(), topics.disputes()));
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
        plan.addAll(reads(WEBHOOKS, topics.outcomes(), topics.webhooksGroup()));
        plan.addAll(topic(WEBHOOKS, topics.disputes(), AclOperation.READ, AclOperation.DESCRIBE));
        plan.addAll(reads(RECEIPTS, topics.receipts(), topics.receiptsGroup()));
        plan.addAll(topic(ON_CALL, topics.deadLetters(), AclOperation.READ, AclOperation.DESCRIBE));
        plan.addAll(topic(ON_CALL, topics.auditSeals(), AclOperation.READ, AclOperation.DESCRIBE));
        for (String other : others) {
            for (String relay : List.of(INGEST, CHARGE, RETRY)) {
                plan.addAll(topic(relay, other, AclOperation.WRITE, AclOperation.DESCRIBE));
            }
            plan.addAll(topic(ON_CALL, other, AclOperation.READ, AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS));
            plan.addAll(topic(CONSOLE, other, AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS));
        }
        plan.addAll(intake());
        plan.addAll(console());
        plan.addAll(migrates());
        return plan;
    }

    /**
     * What an application needs that reads the outcomes, with consumer groups whose names begin with its own.
     *
     * @param application its principal's name, without {@code User:}
     */
    public List<AclBinding> readsOutcomes(String application) {
        var plan = new ArrayList<>(topic("User:" + application, topics.outcomes(), AclOperation.READ, AclOperation.DESCRIBE));
        plan.add(new AclBinding(new ResourcePattern(ResourceType.GROUP, application, PatternType.PREFIXED),
                allow("User:" + application, AclOperation.READ)));
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
     * What {@link #apply} did.
     *
     * @param guarded  false if the brokers have no authorizer, and so allow everything
     * @param tookBack what these principals had beyond the plan
     * @param left     what everyone may do with these topics: other applications may need it, so a person decides
     */
    public record Applied(boolean guarded, List<AclBinding> tookBack, List<AclBinding> left) {}

    private List<AclBinding> migrates() {
        var plan = new ArrayList<AclBinding>();
        var every = new ResourcePattern(ResourceType.TOPIC, topics.prefix() + ".", PatternType.PREFIXED);
        for (AclOperation operation : List.of(AclOperation.CREATE, AclOperation.DESCRIBE, AclOperation.ALTER, AclOperation.DESCRIBE_CONFIGS,
                AclOperation.ALTER_CONFIGS)) {
            plan.add(new AclBinding(every, allow(MIGRATE, operation)));
        }
        var cluster = new ResourcePattern(ResourceType.CLUSTER, "kafka-cluster", PatternType.LITERAL);
        for (AclOperation operation : List.of(AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS, AclOperation.ALTER)) {
            plan.add(new AclBinding(cluster, allow(MIGRATE, operation)));
        }
        return plan;
    }

    /** Creates the missing ACLs, and deletes those that give a principal of the pipeline more than this plan. */
    public Applied apply(Admin admin) {
        try {
            admin.createAcls(all()).all().get();
            Set<AclBinding> planned = Set.copyOf(all());
            Collection<AclBinding> allowed = admin.describeAcls(ALLOWING).values().get();
            List<AclBinding> tooMuch =
                    allowed.stream().filter(acl -> acl.entry().principal().startsWith(OURS) && !planned.contains(acl)).toList();
            admin.deleteAcls(tooMuch.stream().map(AclBinding::toFilter).toList()).all().get();
            return new Applied(true, tooMuch,
                    allowed.stream().filter(acl -> acl.entry().principal().equals(EVERYONE) && concerns(acl.pattern())).toList());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while creating ACLs", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SecurityDisabledException) {
                return new Applied(false, List.of(), List.of());
            }
            throw new KafkaException("ACLs could not be created: " + e.getCause().getMessage(), e.getCause());
        }
    }

    private boolean concerns(ResourcePattern pattern) {
        String of = topics.prefix() + ".";
        return pattern.resourceType() == ResourceType.CLUSTER || pattern.name().equals("*") || pattern.name().startsWith(of)
                || pattern.patternType() == PatternType.PREFIXED && of.startsWith(pattern.name());
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
