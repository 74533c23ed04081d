// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.bank.store;

import io.chargeonce.bank.xml.Debtor;
import io.chargeonce.vault.Opened;
import io.chargeonce.vault.Vault;
import io.chargeonce.wire.PaymentJson;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Seals who pays for the row of a mandate, and opens it again where files are written. Any thread. */
public final class Debtors {

    private Debtors() {}

    public static byte[] seal(Vault vault, String mandate, Debtor debtor) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("name", debtor.name());
        fields.put("iban", debtor.iban());
        debtor.bic().ifPresent(bic -> fields.put("bic", bic));
        return vault.seal(place(mandate), PaymentJson.write(fields));
    }

    /** @throws IllegalStateException if no key here opens it, or it names no account; the message says what to do */
    public static Debtor open(Vault vault, String mandate, byte[] sealed) {
        if (isErased(sealed)) {
            throw new IllegalStateException("mandate %s has no account any more: it was erased or forgotten".formatted(mandate));
        }
        return switch (vault.open(place(mandate), sealed)) {
            case Opened.Readable readable -> {
                try {
                    JsonNode fields = PaymentJson.MAPPER.readTree(readable.bytes());
                    yield new Debtor(fields.path("name").stringValue(), fields.path("iban").stringValue(),
                            Optional.ofNullable(fields.path("bic").stringValue(null)));
                } catch (RuntimeException notOurs) {
                    // The cause may have an account in its message.
                    throw new IllegalStateException("mandate %s names no account that can be read".formatted(mandate));
                }
            }
            case Opened.Closed closed ->
                throw new IllegalStateException("mandate %s cannot be opened: %s".formatted(mandate, closed.why()));
        };
    }

    /** Whether it was erased: no key opens it. */
    public static boolean isErased(byte[] sealed) {
        return sealed.length == 0;
    }

    private static String place(String mandate) {
        return "bank_mandate " + mandate;
    }
}
