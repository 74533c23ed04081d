// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.psp;

/** One account at one PSP: an entry of the settings. */
public interface PspSettings {

    /**
     * The account's name, as stored with every attempt: the PSP's; for a further account followed by a dash and a name, such as {@code
     * stripe-uk}. It never changes.
     */
    String name();

    /** The address that the PSP's API begins with, for a metric; it shows no secret. */
    String apiBase();

    /** A new gateway to this account. */
    Gateway gateway();
}
