// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.ingest.accept;

import io.chargeonce.ingest.answer.RequestForm;
import io.chargeonce.text.Cut;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/**
 * Finds the first fault of bytes that the strict mapper refused, by reading them once more token by token. It says what is wrong and
 * where in its own words: the parser's message may quote the input, and the input may hold a card number.
 */
final class JsonFault {

    private static final String MORE = "something follows the object";
    private static final int MOST_LEVELS = 16;
    private static final int LONGEST_NAME = 256;
    private static final int LONGEST_NUMBER = 32;
    private static final int MOST_TOKENS = 10_000;
    /** The mapper's limits are looked for here one by one, each with words of its own. */
    private static final JsonFactory WITHOUT_LIMITS = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(Integer.MAX_VALUE).maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE).build())
            .build();

    /** What is wrong at a byte, counted from 0. */
    private record Fault(long at, String what) {}

    private final byte[] body;
    /** The names met so far in each open object; empty for an open array. */
    private final Deque<Optional<Set<String>>> open = new ArrayDeque<>();

    private JsonFault(byte[] body) {
        this.body = body;
    }

    /** @param firstLine the number that its sender gives the first line */
    static String of(byte[] body, RequestForm form, long firstLine) {
        if (new String(body, StandardCharsets.ISO_8859_1).isBlank()) {
            return "The %s is empty. Send %s.".formatted(form.whole(), form.example());
        }
        var json = new JsonFault(body);
        Fault fault = json.notUtf8().or(json::firstFault)
                .orElseGet(() -> new Fault(0, "this is not JSON as RFC 8259 has it"));
        return "%s: %s. Send %s.".formatted(json.place(fault.at(), firstLine), fault.what(), form.example());
    }

    private String place(long at, long firstLine) {
        int end = Math.clamp(at, 0, body.length);
        int lineBegins = 0;
        long line = firstLine;
        for (int i = 0; i < end; i++) {
            if (body[i] == '\n') {
                line++;
                lineBegins = i + 1;
            }
        }
        long column = new String(body, lineBegins, end - lineBegins, StandardCharsets.UTF_8).codePoints().count() + 1;
        return "Line %d, column %d (byte %d)".formatted(line, column, end);
    }

    private Optional<Fault> notUtf8() {
        var bytes = ByteBuffer.wrap(body);
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes);
            return Optional.empty();
        } catch (CharacterCodingException e) {
            return Optional.of(new Fault(bytes.position(), "the bytes are not UTF-8"));
        }
    }

    private Optional<Fault> firstFault() {
        int tokens = 0;
        try (JsonParser parser = WITHOUT_LIMITS.createParser(ObjectReadContext.empty(), body)) {
            for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                Optional<String> wrong = tokens > 0 && open.isEmpty() ? Optional.of(MORE) : wrong(parser, token);
                if (++tokens > MOST_TOKENS) {
                    wrong = Optional.of("it has more than %,d parts".formatted(MOST_TOKENS));
                }
                if (wrong.isPresent()) {
                    return Optional.of(new Fault(parser.currentTokenLocation().getByteOffset(), wrong.get()));
                }
            }
            return Optional.empty();
        } catch (JacksonException e) {
            return Optional.of(unreadable(e.getLocation().getByteOffset(), tokens > 0 && open.isEmpty()));
        }
    }

    private Optional<String> wrong(JsonParser parser, JsonToken token) {
        return switch (token) {
            case START_OBJECT -> opened(Optional.of(new HashSet<>()));
            case START_ARRAY -> opened(Optional.empty());
            case END_OBJECT, END_ARRAY -> {
                open.pop();
                yield Optional.empty();
            }
            case PROPERTY_NAME -> wrongName(parser.currentName());
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> Optional.of("a number has more than %d digits".formatted(LONGEST_NUMBER))
                    .filter(tooLong -> parser.getStringLength() > LONGEST_NUMBER);
            default -> Optional.empty();
        };
    }

    private Optional<String> opened(Optional<Set<String>> names) {
        open.push(names);
        return open.size() > MOST_LEVELS ? Optional.of("more than %d levels of objects and arrays".formatted(MOST_LEVELS))
                : Optional.empty();
    }

    private Optional<String> wrongName(String name) {
        if (Cut.isLonger(name, LONGEST_NAME)) {
            return Optional.of("a name has more than %d characters".formatted(LONGEST_NAME));
        }
        return open.getFirst().orElseThrow().add(name) ? Optional.empty() : Optional.of("a field has the same name as one before it");
    }

    /** @param stopped where the parser stopped: at the character that it could not take, or behind the word that it is in */
    private Fault unreadable(long stopped, boolean complete) {
        if (stopped >= body.length && !complete) {
            return new Fault(body.length, "it ends before its last brace, bracket or quote");
        }
        int at = Math.clamp(stopped, 0, body.length - 1);
        while (at > 0 && Character.isLetter(body[at - 1])) {
            at--;
        }
        return new Fault(at, complete ? MORE : stumble(at));
    }

    private String stumble(int at) {
        if (Character.isLetter(body[at])) {
            return "a word stands without quotes and is not true, false or null";
        }
        return switch (body[at]) {
            case '\'' -> "names and texts stand in double quotes";
            case '/', '#' -> "JSON has no comments";
            case '}', ']' -> new String(body, 0, at, StandardCharsets.ISO_8859_1).stripTrailing().endsWith(",")
                    ? "nothing follows the comma before it" : "this character cannot stand here";
            default -> body[at] >= 0 && body[at] < ' ' ? "a control character stands in a text; write it as \\u and four digits"
                    : Character.isDigit(body[at]) && body[at - 1] == '0' ? "a number begins with 0" : "this character cannot stand here";
        };
    }
}
