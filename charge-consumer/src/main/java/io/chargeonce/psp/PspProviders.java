// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.Rail;
import io.chargeonce.payment.method.KnownPsps;
import io.chargeonce.payment.method.PspRules;
import io.chargeonce.runtime.Setting;
import io.chargeonce.runtime.Settings;
import io.chargeonce.runtime.SettingsProblems;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.jar.JarFile;
import org.slf4j.LoggerFactory;

/** The providers of PSPs that this process has found: those on its class path, and those in a folder of plugins. Immutable. */
public final class PspProviders {

    private static final String SERVICE = "META-INF/services/" + PspProvider.class.getName();
    private static final ClassLoader OURS = PspProviders.class.getClassLoader();

    /** Without plugins. */
    public static final PspProviders BUILT_IN = in(Optional.empty());

    /**
     * One PSP.
     *
     * @param settings by their words in an entry of {@code CHARGEONCE_PSPS}, sorted
     * @param read     each as a process reads it: without a required one the account is not set up
     * @param jar      empty on the class path
     */
    public record Found(PspProvider provider, PspRules rules, SortedMap<String, Setting<?>> settings, Map<Setting<?>, Setting<?>> read,
            Optional<Path> jar) {

        private static Found of(PspProvider provider, Optional<Path> jar) {
            PspRules rules = provider.rules();
            var settings = new TreeMap<String, Setting<?>>(provider.settings());
            String prefix = "CHARGEONCE_PSP_" + rules.name().toUpperCase(Locale.ROOT) + "_";
            settings.forEach((word, setting) -> {
                if (!word.matches("[a-z]{1,20}") || jar.isPresent() && !setting.name().startsWith(prefix)) {
                    throw new IllegalArgumentException(("its setting '%s' is called %s, but a setting has a word of 1 to 20 lower-case "
                            + "letters and a name that begins with %s").formatted(word, setting.name(), prefix));
                }
            });
            var read = new HashMap<Setting<?>, Setting<?>>();
            settings.values().forEach(setting -> read.put(setting, setting.isRequired() ? setting.optional() : setting));
            return new Found(provider, rules, settings, read, jar);
        }

        /** @throws IllegalArgumentException if the provider refuses its values, or gives the account another name */
        public PspSettings account(PspAccount account) {
            PspSettings made = provider.account(account);
            misnamed(account.name(), "name() of its PspSettings", made.name()).ifPresent(problem -> {
                throw new IllegalArgumentException(problem);
            });
            return made;
        }

        /** Its attempts are stored under that name, and another account's must not be found there. */
        private Optional<String> misnamed(String account, String method, String name) {
            return name.equals(account) ? Optional.empty()
                    : Optional.of("%s: %s calls the account %s '%s'; let %s return PspAccount.name(), or take the jar out"
                            .formatted(Settings.PSP_PLUGINS.name(), source(), account, name, method));
        }

        private String source() {
            return jar.map(Path::toString).orElse("this version itself");
        }

        /** @param entries whether more accounts at this PSP are set up */
        private Optional<Map<Setting<?>, Object>> values(Settings given, boolean entries) {
            var values = new HashMap<Setting<?>, Object>();
            var missing = new ArrayList<String>();
            for (Setting<?> setting : settings.values()) {
                Object value = given.get(read.get(setting));
                if (!setting.isRequired()) {
                    values.put(setting, value);
                } else if (((Optional<?>) value).isPresent()) {
                    values.put(setting, ((Optional<?>) value).orElseThrow());
                } else {
                    missing.add("%s: is required by the PSP %s of %s, and must be %s; set it, or take the jar out of %s"
                            .formatted(setting.name(), rules.name(), source(), setting.allowed(), Settings.PSP_PLUGINS.name()));
                }
            }
            if (!missing.isEmpty() && jar.isPresent() && !entries) {
                throw new IllegalArgumentException(String.join("\n", missing));
            }
            return missing.isEmpty() ? Optional.of(values) : Optional.empty();
        }
    }

    private final Map<String, Found> byName = new LinkedHashMap<>();
    private final KnownPsps known;

    private PspProviders(Collection<Found> found) {
        found.forEach(one -> byName.put(one.rules.name(), one));
        this.known = KnownPsps.of(found.stream().map(Found::rules).toList());
    }

    /**
     * @param plugins the folder of plugins; each jar in it gets a class loader of its own, whose parent is ours
     * @throws SettingsProblems with a line for each jar that cannot be used, and what to do
     */
    public static PspProviders in(Optional<Path> plugins) {
        var found = new LinkedHashMap<String, Found>();
        var problems = new ArrayList<String>();
        ServiceLoader.load(PspProvider.class, OURS).forEach(provider -> add(found, Found.of(provider, Optional.empty()), problems));
        for (Path jar : plugins.map(PspProviders::jars).orElse(List.of())) {
            try {
                providers(jar).forEach(provider -> add(found, Found.of(provider, Optional.of(jar)), problems));
            } catch (IOException | ServiceConfigurationError | LinkageError | RuntimeException e) {
                problems.add("%s: %s cannot be loaded: %s; put a jar there that was built for this version, or take it out"
                        .formatted(Settings.PSP_PLUGINS.name(), jar, why(e)));
            }
        }
        if (!problems.isEmpty()) {
            throw new SettingsProblems(problems);
        }
        return new PspProviders(found.values());
    }

    private static void add(Map<String, Found> found, Found one, List<String> problems) {
        Found other = found.putIfAbsent(one.rules.name(), one);
        if (other != null) {
            problems.add("%s: %s and %s both bring the PSP %s; take one out".formatted(Settings.PSP_PLUGINS.name(), other.source(),
                    one.source(), one.rules.name()));
        } else {
            // No logger before: the settings are read before the form of the log is known.
            one.jar.ifPresent(jar -> LoggerFactory.getLogger(PspProviders.class).info("PSP {} comes from the plugin {}", one.rules.name(),
                    jar));
        }
    }

    private static Collection<Path> jars(Path folder) {
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
            var sorted = new TreeSet<Path>();
            jars.forEach(sorted::add);
            return sorted;
        } catch (IOException e) {
            throw new SettingsProblems(List.of("%s: %s cannot be read: %s".formatted(Settings.PSP_PLUGINS.name(), folder, e)));
        }
    }

    private static List<PspProvider> providers(Path jar) throws IOException {
        // A class loader takes no notice of a file that is no jar.
        try (var content = new JarFile(jar.toFile())) {
            if (content.getEntry(SERVICE) == null) {
                throw new IOException("it has no file " + SERVICE + " (the libraries of a plugin belong into its own jar)");
            }
        }
        var loader = new URLClassLoader("plugin " + jar.getFileName(), new URL[] {jar.toUri().toURL()}, OURS);
        return ServiceLoader.load(PspProvider.class, loader).stream().filter(provider -> loader.equals(provider.type().getClassLoader()))
                .map(Supplier::get).toList();
    }

    private static String why(Throwable failure) {
        return failure.getCause() == null ? failure.toString() : failure + ", because of " + failure.getCause();
    }

    /** What is true of each PSP before anything is sent to it. */
    public KnownPsps known() {
        return known;
    }

    /** The PSP of an account's name. */
    public Optional<Found> of(String account) {
        return known.of(account).map(rules -> byName.get(rules.name()));
    }

    /**
     * A new gateway to this account.
     *
     * @throws SettingsProblems if it has another name
     */
    public Gateway gateway(PspSettings account) {
        Gateway gateway = account.gateway();
        of(account.name()).flatMap(found -> found.misnamed(account.name(), "psp() of its Gateway", gateway.psp())).ifPresent(problem -> {
            throw new SettingsProblems(List.of(problem));
        });
        return gateway;
    }

    /** Each setting of an account with a PSP's own name, as a process reads it. */
    public List<Setting<?>> settings() {
        return byName.values().stream().<Setting<?>>flatMap(one -> one.settings.values().stream().map(one.read::get)).toList();
    }

    /** Those of plugins only. */
    public List<Setting<?>> settingsOfPlugins() {
        return byName.values().stream().filter(one -> one.jar.isPresent())
                .<Setting<?>>flatMap(one -> one.settings.values().stream().map(one.read::get)).toList();
    }

    /**
     * The accounts with the PSPs' own names that are set up.
     *
     * @param others the names of accounts that are set up otherwise
     * @throws IllegalArgumentException if a plugin's required setting is missing
     */
    public List<PspSettings> accounts(Settings given, Collection<String> others, Duration callTimeout, boolean receipts) {
        var accounts = new ArrayList<PspSettings>();
        for (Found one : byName.values()) {
            boolean entries = others.stream().anyMatch(account -> of(account).filter(one::equals).isPresent());
            if (one.rules.rail() == Rail.CARD) {
                one.values(given, entries).map(values -> PspAccount.of(one.rules.name(), values, callTimeout, receipts))
                        .map(one::account).ifPresent(accounts::add);
            }
        }
        return List.copyOf(accounts);
    }
}
