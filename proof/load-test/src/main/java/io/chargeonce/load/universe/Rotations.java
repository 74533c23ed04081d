// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.universe;

import io.chargeonce.checker.finding.Invariant;
import io.chargeonce.ledger.DeadLetter;
import io.chargeonce.ledger.FoundRecord;
import io.chargeonce.load.game.Fault;
import io.chargeonce.load.game.SecretFiles;
import io.chargeonce.load.universe.kernel.Kernel;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Keys that are changed while the processes run which use them. Only the strand that has the turn may call it. */
final class Rotations {

    /** As long as processes may take to read a file again, and half as long: then some calls come with a key that is refused. */
    private static final Duration LONGEST_OVERLAP = Duration.ofSeconds(12);
    /** Then every process has read each file again. */
    static final Duration READ_BY_ALL = Duration.ofSeconds(6);

    private final Kernel kernel;
    private final SecretFiles files;
    private final List<SimulatedPsp> psps;
    private final CardTraffic poison;
    private int dataKeys = 1;

    Rotations(Kernel kernel, SecretFiles files, List<SimulatedPsp> psps, CardTraffic poison) {
        this.kernel = kernel;
        this.files = files;
        this.psps = psps;
        this.poison = poison;
    }

    Map<Fault, Runnable> all() {
        return Map.of(Fault.PSP_KEY, this::changePspKeys, Fault.DATA_KEY, this::changeDataKey);
    }

    private void changePspKeys() {
        Duration overlap = kernel.between(Duration.ZERO, LONGEST_OVERLAP);
        kernel.tell("keys of PSPs changed", "the keys of the PSPs are changed; the old ones are good for " + overlap.toMillis() + " ms");
        psps.forEach(psp -> files.put(files.pspKey(psp.name), SecretFiles.pspKeyText(psp.name, psp.changeKey(overlap))));
    }

    private void changeDataKey() {
        if (dataKeys < files.sealing().size()) {
            kernel.tell("data key changed", "the data key is changed");
            files.put(files.dataKey(), files.sealing().get(dataKeys));
            dataKeys++;
        }
        poison.poison(KafkaFaultActions.WORK.getFirst());
    }

    /** When all is well: what comes now is to be sealed with the newest key. */
    void poisonOnceMore() {
        kernel.sleep(READ_BY_ALL);
        poison.poisonAtLast(KafkaFaultActions.WORK.getFirst());
    }

    /** Opens what is sealed: each letter with any key, the last one with the newest. */
    void open(List<PostgresView.Sealed> letters, UniverseWitness witness) {
        Vault newest = Vault.of(() -> files.opening().get(dataKeys - 1));
        List<Vault> all = files.opening().stream().limit(dataKeys).map(text -> Vault.of(() -> text)).toList();
        for (PostgresView.Sealed letter : letters) {
            Optional<byte[]> value = all.stream().flatMap(vault -> open(letter, vault).stream()).findFirst()
                    .map(bytes -> Objects.requireNonNullElse(FoundRecord.Content.of(bytes).value(), new byte[0]));
            if (value.isEmpty()) {
                witness.saw(Invariant.SEALED_OPENS, "dead letter %s opens with no key".formatted(letter.id()));
            } else if (CardTraffic.isAtLast(value.get()) && open(letter, newest).isEmpty()) {
                witness.saw(Invariant.SEALED_OPENS,
                        "dead letter %s opens with another key than the newest, though it was sealed long after "
                                .formatted(letter.id()) + "that came");
            }
        }
    }

    private static Optional<byte[]> open(PostgresView.Sealed letter, Vault vault) {
        return vault.open(DeadLetter.place(letter.id()), letter.bytes()) instanceof Opened.Readable(byte[] bytes) ? Optional.of(bytes)
                : Optional.empty();
    }
}
