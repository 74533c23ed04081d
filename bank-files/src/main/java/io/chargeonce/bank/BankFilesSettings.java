// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank;

import io.chargeonce.bank.account.BankAccount;
import io.chargeonce.bank.account.BankProperties;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Secret;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.settlement.SettlementKeys;
import io.chargeonce.vault.Vault;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The settings of the bank-files service. Immutable.
 *
 * @param vault opens what mandates say and seals the bytes of files
 * @param keys  mark what banks say, for charge
 * @param poll  how often a bank's directory is looked at
 * @param until until when no file is sealed or sent; empty unless rows were lost
 */
public record BankFilesSettings(PipelineSettings pipeline, List<BankAccount> accounts, Vault vault, SettlementKeys keys, Duration poll,
        Optional<Instant> until) {

    public static final Setting<String> FILES = Setting.string("CHARGEONCE_BANK_FILES",
            "Properties files of the accounts at banks, separated by commas: see docs/bank.md.");
    public static final Setting<Duration> POLL = Setting.duration("CHARGEONCE_BANK_POLL",
            "How often a bank's directory is read. A file is fetched when it has stayed the same for so long.")
            .between("100ms", "1h").orElse("30s");
    public static final Setting<Optional<Secret>> KEY_FILE = Setting.secretFile("CHARGEONCE_BANK_KEY_FILE",
            "File with the keys that seal accounts and bank files at rest; chargeonce data-key makes it. The bank-files service gets the "
                    + "private keys, the mandate commands the .public file.")
            .optionalIfExposed("is missing, so account numbers would be stored unencrypted; make a file with 'chargeonce data-key FILE'");

    /** For commands: only one that adds a mandate needs a key. */
    public static final Setting<Optional<Secret>> KEY_FILE_OF_A_COMMAND =
            Setting.secretFile(KEY_FILE.name(), "File with the keys that seal accounts at rest.").optional();

    public static final List<Setting<?>> ALL =
            Stream.of(PipelineSettings.OF_SERVICE,
                    List.<Setting<?>>of(FILES, POLL, KEY_FILE, SettlementKeys.FILE, PipelineSettings.ASK_FIRST_UNTIL))
                    .flatMap(List::stream).toList();

    public BankFilesSettings {
        accounts = List.copyOf(accounts);
        if (accounts.stream().map(BankAccount::name).distinct().count() < accounts.size()) {
            throw new IllegalArgumentException("CHARGEONCE_BANK_FILES: two files have the same name");
        }
        if (accounts.isEmpty()) {
            throw new IllegalArgumentException("CHARGEONCE_BANK_FILES: names no file");
        }
    }

    public static BankFilesSettings from(Settings settings) {
        return new BankFilesSettings(PipelineSettings.from(settings), Arrays.stream(settings.get(FILES).split(",")).map(String::strip)
                .filter(file -> !file.isEmpty()).map(file -> BankProperties.read(Path.of(file))).toList(), Vault.of(KEY_FILE, settings),
                SettlementKeys.of(settings.get(SettlementKeys.FILE)),
                settings.get(POLL), settings.get(PipelineSettings.ASK_FIRST_UNTIL));
    }

    /** Leaves out what is secret. */
    @Override
    public String toString() {
        return "BankFilesSettings[%s, accounts at %s]".formatted(pipeline, accounts.stream().map(BankAccount::name).toList());
    }
}
