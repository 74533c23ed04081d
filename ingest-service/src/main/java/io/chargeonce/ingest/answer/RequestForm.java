// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.answer;

/** The way a request came. Its sender calls the parts of it by other names on each way, and a problem uses the sender's names. */
public enum RequestForm {

    PAYMENT("body", "Idempotency-Key", "Send a header Idempotency-Key", "a JSON object with at least amount, currency and payment_method"),
    REFUND("body", "Idempotency-Key", "Send a header Idempotency-Key",
            "a JSON object: {} gives back all that is left, amount gives back a part, reference tells several refunds apart"),
    CANCEL("body", "Idempotency-Key", "Send a header Idempotency-Key", "a JSON object: {}, or with reason, a text for the audit log"),
    METHOD("body", "Idempotency-Key", "Send a header Idempotency-Key", "a JSON object with customer, and tokens by the names of PSPs"),
    ENDPOINT("body", "Idempotency-Key", "Send a header Idempotency-Key",
            "a JSON object with url, an https address, and if you like events, a list of event types"),
    ROTATION("body", "Idempotency-Key", "Send a header Idempotency-Key",
            "a JSON object: {}, or overlap_seconds for how long the old secret stays valid"),
    BATCH_LINE("line", "idempotency_key", "Give each line a field idempotency_key",
            "a JSON object a line with at least idempotency_key, amount, currency and payment_method"),
    QUERY("query", "idempotency_key", "Give the query a parameter idempotency_key", "a query with one idempotency_key"),
    RECORD("record's value", "record key", "Give the record a key",
            "a JSON object with at least amount, currency and payment_method, under the idempotency key as the record's key");

    private final String whole;
    private final String keyField;
    private final String giveKey;
    private final String example;

    RequestForm(String whole, String keyField, String giveKey, String example) {
        this.whole = whole;
        this.keyField = keyField;
        this.giveKey = giveKey;
        this.example = example;
    }

    /** What holds the JSON. */
    public String whole() {
        return whole;
    }

    /** Where the idempotency key stands. */
    public String keyField() {
        return keyField;
    }

    /** What to do about a key that is missing, as the beginning of a sentence. */
    String giveKey() {
        return giveKey;
    }

    /** What the JSON must be, as the end of a sentence that begins with "Send". */
    public String example() {
        return example;
    }
}
