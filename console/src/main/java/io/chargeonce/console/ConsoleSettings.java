// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.console;

import io.chargeonce.console.session.Sessions;
import io.chargeonce.console.witness.WitnessSettings;
import io.chargeonce.http.TlsFiles;
import io.chargeonce.runtime.Address;
import io.chargeonce.runtime.PipelineSettings;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.text.AddressRange;
import io.chargeonce.vault.Vault;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What one console is made of. Immutable.
 *
 * @param pipeline without a login and a password: people bring their own
 * @param address  where browsers reach it; port 0 takes any free one
 * @param tls      empty is plain HTTP, for this machine only
 * @param vault    opens what poison holds
 * @param lifetime of a session
 * @param connections the most to Postgres, of all people and runs together
 * @param proxies  whose X-Forwarded-For is believed
 */
public record ConsoleSettings(PipelineSettings pipeline, Address address, Optional<TlsFiles> tls, Vault vault,
        Sessions.Lifetime lifetime, WitnessSettings witness, int connections, List<AddressRange> proxies) {

    private static final int USUAL_CONNECTIONS = 40;

    public static final Setting<Integer> CONNECTIONS = Setting.integer("CHARGEONCE_CONSOLE_DATABASE_CONNECTIONS",
            "The most connections to Postgres that one console holds, for all people and runs together.").between("8", "200")
            .orElse("" + USUAL_CONNECTIONS);

    public static final Setting<Optional<List<AddressRange>>> PROXIES = Setting.addressRanges("CHARGEONCE_CONSOLE_PROXIES",
            "The proxies before the console: only from these X-Forwarded-For is believed, by which failed sign-ins are counted.")
            .optional();

    public static final Setting<Optional<Path>> TLS_CERTIFICATE = Setting.file("CHARGEONCE_CONSOLE_TLS_CERTIFICATE_FILE",
            "PEM file with the console's certificate and its chain; with it the console speaks HTTPS only.").optional();
    public static final Setting<Optional<Path>> TLS_KEY = Setting.privateFile("CHARGEONCE_CONSOLE_TLS_KEY_FILE",
            "PEM file with the certificate's private key in PKCS#8, unencrypted.").optional();
    public static final Setting<Address> ADDRESS = Setting.addressWithTls("CHARGEONCE_CONSOLE_ADDRESS",
            "Where people open the console in a browser; beyond this machine only with TLS.", TLS_CERTIFICATE).orElse("127.0.0.1:8081");

    /** With as many connections as most need, and no proxy. */
    public ConsoleSettings(PipelineSettings pipeline, Address address, Optional<TlsFiles> tls, Vault vault, Sessions.Lifetime lifetime,
                           WitnessSettings witness) {
        this(pipeline, address, tls, vault, lifetime, witness, USUAL_CONNECTIONS, List.of());
    }

    /** Those that no other process reads. */
    public static final List<Setting<?>> OWN =
            Stream.of(List.<Setting<?>>of(ADDRESS, CONNECTIONS, PROXIES, TLS_CERTIFICATE, TLS_KEY), WitnessSettings.ALL)
                    .<Setting<?>>flatMap(List::stream).toList();
    /** Every setting that a console reads. */
    public static final List<Setting<?>> ALL =
            Stream.of(PipelineSettings.OF_SERVICE_WITHOUT_LOGIN, OWN, List.<Setting<?>>of(Vault.FILE_OF_A_COMMAND))
                    .<Setting<?>>flatMap(List::stream).toList();

    public static ConsoleSettings from(Settings settings) {
        return new ConsoleSettings(PipelineSettings.from(settings), settings.get(ADDRESS),
                TlsFiles.of("CHARGEONCE_CONSOLE_TLS", settings.get(TLS_CERTIFICATE), settings.get(TLS_KEY)), Vault.ofCommand(settings),
                Sessions.Lifetime.USUAL, WitnessSettings.from(settings), settings.get(CONNECTIONS),
                settings.get(PROXIES).orElse(List.of()));
    }
}
