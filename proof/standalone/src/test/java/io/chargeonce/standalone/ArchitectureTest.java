// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.chargeonce.charge.ChargeEngine;
import io.chargeonce.charge.ChargeSettings;
import io.chargeonce.database.OutboxRelay;
import io.chargeonce.ingest.IngestService;
import io.chargeonce.kafka.loop.DueTimes;
import io.chargeonce.kafka.GroupProtocol;
import io.chargeonce.psp.Lease;
import io.chargeonce.runtime.SteadyClock;
import io.chargeonce.notifications.receipt.ReceiptService;
import io.chargeonce.notifications.webhook.WebhookService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Dependencies point one way. */
class ArchitectureTest {

    /** What ships, and what proves it; without the names that load-test gives to methods from within their packages. */
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).withImportOption(location -> !location.contains("Seams.class"))
            .importPackages("io.chargeonce");

    /** What stands in proof/. */
    private static final String[] PROOF = {"io.chargeonce.bench..", "io.chargeonce.checker..", "io.chargeonce.conformance..",
        "io.chargeonce.load..", "io.chargeonce.sandbox..", "io.chargeonce.standalone..",
        "io.chargeonce.testkit.."};

    private static DescribedPredicate<JavaClass> ours(String... packages) {
        return resideInAnyPackage(packages);
    }

    private static void onlyDependsOn(String from, String... allowed) {
        var others = resideInAPackage("io.chargeonce..").and(DescribedPredicate.not(ours(allowed)))
                .and(DescribedPredicate.not(resideInAPackage(from)));
        noClasses().that().resideInAPackage(from).should().dependOnClassesThat(others).check(ALL);
    }

    @Test
    void the_payment_domain_is_pure() {
        classes().that().resideInAPackage("io.chargeonce.payment..")
                .should().onlyDependOnClassesThat().resideInAnyPackage("io.chargeonce.payment..", "java..").check(ALL);
    }

    @Test
    void wire_knows_only_payments() {
        onlyDependsOn("io.chargeonce.wire..", "io.chargeonce.payment..", "io.chargeonce.text..");
    }

    @Test
    void kafka_database_and_runtime_know_nothing_of_ours() {
        onlyDependsOn("io.chargeonce.kafka..", "io.chargeonce.fairness..", "io.chargeonce.text..");
        onlyDependsOn("io.chargeonce.database..", "io.chargeonce.fairness..", "io.chargeonce.text..");
        onlyDependsOn("io.chargeonce.runtime..", "io.chargeonce.text..");
        onlyDependsOn("io.chargeonce.fairness..");
    }

    /** With the other protocol, Kafka's client spins while Kafka is away: see {@link GroupProtocol}. */
    @Test
    void no_service_uses_a_group_protocol_whose_client_spins_in_an_outage() {
        noClasses().that().resideOutsideOfPackage("io.chargeonce.kafka..").should().accessField(GroupProtocol.class, "CONSUMER").check(ALL);
    }

    /**
     * A wall clock steps. What only measures how long something takes uses SteadyClock or System.nanoTime. A lease asks both clocks,
     * for the monotonic one stands still while a machine is suspended.
     */
    @Test
    void only_what_tells_a_time_to_others_asks_the_wall_clock() {
        noClasses().that().resideInAnyPackage("io.chargeonce.kafka..", "io.chargeonce.runtime..", "io.chargeonce.charge..",
                "io.chargeonce.psp..", "io.chargeonce.ingest..", "io.chargeonce.database..", "io.chargeonce.ledger..",
                "io.chargeonce.wire..", "io.chargeonce.dlq..", "io.chargeonce.audit..", "io.chargeonce.http..",
                "io.chargeonce.notifications..", "io.chargeonce.endpoints..", "io.chargeonce.reconcile..",
                "io.chargeonce.settlement..", "io.chargeonce.bank..")
                .and(DescribedPredicate.not(belongToAnyOf(SteadyClock.class, DueTimes.class, ChargeEngine.class, IngestService.class,
                        OutboxRelay.class, Lease.class, WebhookService.class, ReceiptService.class)))
                .should().callMethod(InstantSource.class, "system").orShould().callMethod(Instant.class, "now")
                .orShould().callMethod(System.class, "currentTimeMillis").orShould().callMethod(Clock.class, "systemUTC").check(ALL);
    }

    @Test
    void tracing_stands_on_the_settings_and_what_carries_records() {
        onlyDependsOn("io.chargeonce.tracing..", "io.chargeonce.kafka..", "io.chargeonce.runtime..", "io.chargeonce.wire..");
    }

    @Test
    void the_ledger_stands_on_payments_wire_and_the_database() {
        onlyDependsOn("io.chargeonce.ledger..", "io.chargeonce.payment..", "io.chargeonce.wire..", "io.chargeonce.database..",
                "io.chargeonce.vault..", "io.chargeonce.text..");
    }

    @Test
    void http_stands_on_settings_and_workers() {
        onlyDependsOn("io.chargeonce.http..", "io.chargeonce.runtime..");
    }

    @Test
    void the_vault_knows_settings_and_nothing_of_what_it_seals() {
        onlyDependsOn("io.chargeonce.vault..", "io.chargeonce.runtime..");
    }

    @Test
    void seals_stand_on_the_database_what_travels_and_settings() {
        onlyDependsOn("io.chargeonce.audit..", "io.chargeonce.database..", "io.chargeonce.wire..", "io.chargeonce.runtime..");
    }

    @Test
    void services_know_the_core_and_not_each_other() {
        String[] core = {"io.chargeonce.payment..", "io.chargeonce.wire..", "io.chargeonce.kafka..", "io.chargeonce.database..",
            "io.chargeonce.runtime..", "io.chargeonce.ledger..", "io.chargeonce.tracing..", "io.chargeonce.audit..",
            "io.chargeonce.vault..", "io.chargeonce.http..", "io.chargeonce.endpoints..", "io.chargeonce.settlement..",
            "io.chargeonce.text..", "io.chargeonce.terminal.."};
        onlyDependsOn("io.chargeonce.ingest..", core);
        onlyDependsOn("io.chargeonce.dlq..", core);
        var console = new TreeSet<>(Set.of(core));
        console.add("io.chargeonce.dlq..");
        onlyDependsOn("io.chargeonce.console..", console.toArray(String[]::new));
        // It connects to hosts that strangers choose: no PSP, and so no key of one, is in its reach.
        onlyDependsOn("io.chargeonce.notifications", core);
        onlyDependsOn("io.chargeonce.notifications.terminal", core);
        var channel = new TreeSet<>(Set.of(core));
        channel.addAll(Set.of("io.chargeonce.notifications", "io.chargeonce.notifications.terminal"));
        onlyDependsOn("io.chargeonce.notifications.webhook..", channel.toArray(String[]::new));
        onlyDependsOn("io.chargeonce.notifications.receipt..", channel.toArray(String[]::new));
        onlyDependsOn("io.chargeonce.bank..", core);
        onlyDependsOn("io.chargeonce.endpoints..", "io.chargeonce.database..", "io.chargeonce.ledger..", "io.chargeonce.runtime..",
                "io.chargeonce.vault..", "io.chargeonce.text..");
        onlyDependsOn("io.chargeonce.psp..", "io.chargeonce.payment..", "io.chargeonce.ledger..", "io.chargeonce.text..",
                "io.chargeonce.runtime..", "io.chargeonce.database..");
        var charge = new TreeSet<>(Set.of(core));
        charge.add("io.chargeonce.psp..");
        onlyDependsOn("io.chargeonce.charge..", charge.toArray(String[]::new));
        charge.add("io.chargeonce.charge..");
        onlyDependsOn("io.chargeonce.retry..", charge.toArray(String[]::new));
        onlyDependsOn("io.chargeonce.text..");
        onlyDependsOn("io.chargeonce.terminal..", "io.chargeonce.text..");
        onlyDependsOn("io.chargeonce.settlement..", "io.chargeonce.payment..", "io.chargeonce.database..", "io.chargeonce.runtime..",
                "io.chargeonce.text..");
        // It knows accounts at PSPs and their settings, and makes no attempt.
        charge.add("io.chargeonce.bank.xml..");
        onlyDependsOn("io.chargeonce.reconcile..", charge.toArray(String[]::new));
        noClasses().that().resideInAPackage("io.chargeonce.reconcile..").should().dependOnClassesThat(
                resideInAPackage("io.chargeonce.charge..").and(DescribedPredicate.not(belongToAnyOf(ChargeSettings.class)))).check(ALL);
    }

    @Test
    void what_ships_knows_nothing_of_what_tries_or_proves_it() {
        onlyDependsOn("io.chargeonce.app..", "io.chargeonce.payment..", "io.chargeonce.wire..", "io.chargeonce.kafka..",
                "io.chargeonce.database..",
                "io.chargeonce.runtime..", "io.chargeonce.ledger..", "io.chargeonce.tracing..", "io.chargeonce.audit..",
                "io.chargeonce.vault..", "io.chargeonce.http..",
                "io.chargeonce.psp..", "io.chargeonce.ingest..", "io.chargeonce.charge..", "io.chargeonce.retry..", "io.chargeonce.dlq..",
                "io.chargeonce.console..", "io.chargeonce.notifications..",
                "io.chargeonce.endpoints..", "io.chargeonce.settlement..", "io.chargeonce.reconcile..", "io.chargeonce.bank..",
                "io.chargeonce.text..", "io.chargeonce.terminal..");
    }

    @Test
    void the_witness_knows_records_and_nothing_of_those_who_write_them() {
        onlyDependsOn("io.chargeonce.console.witness..", "io.chargeonce.payment..", "io.chargeonce.wire..", "io.chargeonce.kafka..",
                "io.chargeonce.runtime..", "io.chargeonce.text..");
    }

    @Test
    void the_sandbox_and_the_checker_share_no_class_with_what_they_judge() {
        onlyDependsOn("io.chargeonce.sandbox..");
        onlyDependsOn("io.chargeonce.checker..");
        onlyDependsOn("io.chargeonce.conformance..");
    }

    @Test
    void a_producer_needs_nothing_but_the_client() {
        onlyDependsOn("io.chargeonce.client..");
    }

    @Test
    void a_consumer_needs_nothing_but_the_documents() {
        onlyDependsOn("io.chargeonce.examples..");
    }

    @Test
    void nothing_of_the_product_uses_what_stands_in_proof() {
        noClasses().that().resideOutsideOfPackages(PROOF).should().dependOnClassesThat().resideInAnyPackage(PROOF).check(ALL);
    }

    @Test
    void each_module_in_proof_is_known_here_by_its_package() throws IOException {
        var packages = new TreeSet<String>();
        try (Stream<Path> modules = Files.list(Repository.root().resolve("proof"))) {
            for (Path module : modules.filter(folder -> Files.exists(folder.resolve("pom.xml"))).toList()) {
                try (Stream<Path> folders = Files.list(module.resolve("src/main/java/io/chargeonce"))) {
                    folders.filter(folder -> Files.exists(folder.resolve("package-info.java")))
                            .forEach(folder -> packages.add("io.chargeonce." + folder.getFileName() + ".."));
                }
            }
        }
        assertThat(packages).containsExactly(PROOF);
    }

    @Test
    void the_console_shares_no_class_with_the_commands_and_only_the_entry_starts_it() {
        noClasses().that().resideInAPackage("io.chargeonce.console..").should().dependOnClassesThat()
                .resideInAnyPackage("io.chargeonce.dlq.terminal..", "io.chargeonce.terminal..").check(ALL);
        noClasses().that(resideOutsideOfPackages(PROOF)).and().resideOutsideOfPackages("io.chargeonce.console..", "io.chargeonce.app..")
                .should().dependOnClassesThat().resideInAPackage("io.chargeonce.console..").check(ALL);
    }

    @Test
    void there_are_no_cycles_between_packages() {
        slices().matching("io.chargeonce.(**)").should().beFreeOfCycles().check(ALL);
    }

    /** Interfaces of load-test that name methods from within the packages. Nothing but load-test depends on them. */
    @Test
    void only_plants_and_the_simulation_know_the_seams() {
        JavaClasses seams = new ClassFileImporter().withImportOption(location -> location.contains("Seams.class"))
                .importPackages("io.chargeonce");
        assertThat(seams).isNotEmpty().allSatisfy(seam -> {
            assertThat(seam.isInterface()).as(seam.getName()).isTrue();
            assertThat(seam.getSource().orElseThrow().getUri().toString()).contains("load-test");
        });
        noClasses().that().resideOutsideOfPackage("io.chargeonce.load..").should().dependOnClassesThat().haveNameMatching(".*Seams")
                .check(ALL);
    }

    @Test
    void no_package_occurs_in_two_modules() {
        Map<String, Set<String>> modules = new HashMap<>();
        for (JavaClass type : ALL) {
            String source = type.getSource().orElseThrow().getUri().toString();
            String module = source.replaceFirst("/target/.*", "").replaceFirst(".*/", "");
            modules.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>()).add(module);
        }
        assertThat(modules).isNotEmpty().allSatisfy((name, in) -> assertThat(in).as(name).hasSize(1));
    }
}
