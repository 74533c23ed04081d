// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import io.chargeonce.dlq.json.Json;
import io.chargeonce.terminal.Screen;
import java.util.Map;

/** One JSON object per line, for scripts. */
public final class JsonLines {

    private JsonLines() {}

    public static void print(Screen screen, Map<String, ?> object) {
        screen.print("%s", Json.line(object));
    }
}
