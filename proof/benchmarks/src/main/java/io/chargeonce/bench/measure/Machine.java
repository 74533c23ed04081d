// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bench.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The machine's fingerprint: what a figure depends on, and nothing that names a person or a host. */
public final class Machine {

    private Machine() {}

    /** The load average is of this moment: take it before the bench begins. */
    public static Map<String, Object> fingerprint() {
        var machine = new LinkedHashMap<String, Object>();
        machine.put("cpu", field("/proc/cpuinfo", "model name"));
        machine.put("cores", Runtime.getRuntime().availableProcessors());
        machine.put("memory", field("/proc/meminfo", "MemTotal"));
        machine.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        machine.put("java", System.getProperty("java.vm.version"));
        machine.put("load_before", read("/proc/loadavg").replaceFirst("^(\\S+ \\S+ \\S+).*", "$1").strip());
        return machine;
    }

    private static String field(String file, String name) {
        return read(file).lines().filter(line -> line.startsWith(name)).findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).strip()).orElse("unknown");
    }

    private static String read(String file) {
        try {
            return Files.readString(Path.of(file));
        } catch (IOException notLinux) {
            return "";
        }
    }
}
