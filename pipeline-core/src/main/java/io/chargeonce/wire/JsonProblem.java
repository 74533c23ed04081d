// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.wire;

import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.databind.DatabindException;

/**
 * Why JSON cannot be read, in words for people. Nothing of the input is in them, and nothing of the parser's own message: that one may
 * quote the input.
 */
public final class JsonProblem {

    private JsonProblem() {}

    public static String of(JacksonException e) {
        return switch (e) {
            case UnexpectedEndOfInputException cut -> "the JSON ends before its last value is complete";
            case StreamConstraintsException tooMuch -> "the JSON is nested too deep, or a part of it is too long";
            case DatabindException value -> ofValue(value);
            default -> (e.getOriginalMessage().startsWith("Duplicate") ? "a name occurs twice in the JSON" : "it is not JSON") + place(e);
        };
    }

    /** Our records say themselves what they miss. */
    private static String ofValue(DatabindException e) {
        if (e.getCause() instanceof IllegalArgumentException || e.getCause() instanceof NullPointerException) {
            return String.valueOf(e.getCause().getMessage());
        }
        return e.getPath().isEmpty() || e.getPath().getLast().getPropertyName() == null
                ? "the JSON is not the object that it must be"
                : "'%s' is missing, or not of the type that it must have".formatted(e.getPath().getLast().getPropertyName());
    }

    private static String place(JacksonException e) {
        TokenStreamLocation at = e.getLocation();
        return at == null || at.getLineNr() < 1 || at.getColumnNr() < 1 ? ""
                : ": see line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
    }
}
