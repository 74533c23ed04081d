// SPDX-License-Identifier: Apache-2.0
package com.example.paper;

import io.chargeonce.psp.Gateway;
import io.chargeonce.psp.PspSettings;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * An account at Paper.
 *
 * @param apiKey read for each request, so that the file may change
 */
record PaperSettings(String name, Supplier<String> apiKey, String apiBase, Duration callTimeout) implements PspSettings {

    @Override
    public Gateway gateway() {
        return new PaperGateway(this);
    }

    @Override
    public String toString() {
        return "PaperSettings[%s, apiKey=****, apiBase=%s]".formatted(name, apiBase);
    }
}
