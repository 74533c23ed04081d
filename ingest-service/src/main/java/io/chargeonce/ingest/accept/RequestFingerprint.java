// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.Contract;
import io.chargeonce.payment.PaymentRequest;
import io.chargeonce.runtime.Sha256;
import io.chargeonce.wire.PaymentJson;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import tools.jackson.databind.JsonNode;

/**
 * What a request asks for, in one spelling: two bodies that differ in blanks or field order are the same request.
 *
 * @param canonical JSON with the fields in alphabetical order, absent ones left out
 */
public record RequestFingerprint(String path, String canonical, byte[] fingerprint) {

    /** Of the fingerprint. Rows keep the version that they were made with; a change of the fingerprint needs the next one. */
    public static final int VERSION = 1;

    /** A request as a release before or after this one may have stored it. */
    public record Stored(int version, String path, String canonical, byte[] fingerprint) {

        /** For people. */
        private String kind() {
            return path.equals(Contract.PAYMENTS) ? "a payment"
                    : "a refund of " + path.substring(Contract.PAYMENTS.length() + 1).replaceFirst("/.*", "");
        }
    }

    /**
     * Why a key cannot be used for a request: it holds another one.
     *
     * @param names  what the key names, if that is of another kind or of another payment
     * @param fields in which the requests differ otherwise; none where the values were erased
     */
    public record Conflict(Optional<String> names, List<String> fields) {}

    static final String METHOD = "POST";

    static RequestFingerprint of(PaymentRequest request) {
        var fields = new TreeMap<String, Object>();
        fields.put("amount", request.money().minorUnits());
        fields.put("currency", request.money().currency());
        fields.put("payment_method", request.paymentMethod());
        request.customer().ifPresent(customer -> fields.put("customer", customer));
        request.reference().ifPresent(reference -> fields.put("reference", reference));
        request.description().ifPresent(description -> fields.put("description", description));
        request.receiptEmail().ifPresent(email -> fields.put("receipt_email", email));
        request.initiator().ifPresent(initiator -> fields.put("initiator", initiator.tag()));
        String canonical = new String(PaymentJson.write(fields), StandardCharsets.UTF_8);
        return of(Contract.PAYMENTS, canonical);
    }

    public static RequestFingerprint of(String path, String canonical) {
        return new RequestFingerprint(path, canonical, Sha256.of(VERSION + "\n" + METHOD + "\n" + path + "\n" + canonical));
    }

    /**
     * Whether a stored request is this one. Fingerprints of this version are compared. A fingerprint of another version means
     * nothing here, so the requests themselves are compared.
     */
    public boolean isTheSameAs(Stored stored) {
        return stored.version() == VERSION ? MessageDigest.isEqual(fingerprint, stored.fingerprint())
                : path.equals(stored.path()) && differencesFrom(stored.canonical()).isEmpty();
    }

    /** How this request differs from the first one with its key. */
    public Conflict conflictWith(Stored first) {
        return path.equals(first.path()) ? new Conflict(Optional.empty(), differencesFrom(first.canonical()))
                : new Conflict(Optional.of(first.kind()), List.of());
    }

    /** The names of the fields in which the two requests differ; not those that were erased since. */
    List<String> differencesFrom(String otherCanonical) {
        Map<String, JsonNode> mine = fields(canonical);
        Map<String, JsonNode> others = fields(otherCanonical);
        var names = new TreeSet<>(mine.keySet());
        names.addAll(others.keySet());
        names.removeIf(name -> Objects.equals(mine.get(name), others.get(name)) || isErased(others.get(name)));
        return List.copyOf(names);
    }

    private static boolean isErased(JsonNode stored) {
        return stored != null && stored.isString() && stored.asString().equals(PaymentRequest.ERASED);
    }

    private static Map<String, JsonNode> fields(String canonical) {
        var fields = new TreeMap<String, JsonNode>();
        PaymentJson.MAPPER.readTree(canonical).forEachEntry(fields::put);
        return fields;
    }
}
