// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

import io.chargeonce.payment.method.PspRules;
import io.chargeonce.runtime.Setting;
import java.util.Map;

/**
 * Brings one PSP into the pipeline. {@link java.util.ServiceLoader} finds it: its jar names the class in {@code
 * META-INF/services/io.chargeonce.psp.PspProvider}. The PSPs that come with the pipeline are found in the same way. The class is public,
 * with a public constructor without parameters. It is made once in each process of ingest, charge and retry, on the thread that starts the
 * process, and connects to nothing.
 */
public interface PspProvider {

    /** What is true of the PSP before anything is sent to it. The same for ever, and in every process. */
    PspRules rules();

    /**
     * What an account is set up with, each by the word that an entry of {@code CHARGEONCE_PSPS} uses for it: 1 to 20 lower-case letters. In
     * a plugin each setting's name begins with {@code CHARGEONCE_PSP_}, the PSP's name in upper case and {@code _}. The account with the
     * PSP's own name is set up if every required setting is given. The same objects at each call.
     */
    Map<String, Setting<?>> settings();

    /**
     * An account with these values.
     *
     * @throws IllegalArgumentException if they contradict each other; its message names the setting and says what it must be
     */
    PspSettings account(PspAccount account);
}
