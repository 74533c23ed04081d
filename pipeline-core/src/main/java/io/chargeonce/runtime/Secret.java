package io.chargeonce.runtime;

/** A text that never shows when printed. Immutable. */
public record Secret(String value) {
    public Secret {
        if (value.isEmpty()) {
            throw new IllegalArgumentException("the secret is empty");
        }
    }

    @Override
    public String toString() {
        return "***";
    }
}
