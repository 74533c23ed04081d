// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import io.chargeonce.text.Cut;
import io.chargeonce.text.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Foreign bytes as lines that are safe to print: as text where they are text, else as a hex dump. Long ones are cut. */
public final class Bytes {

    private static final int LONGEST_TEXT = 2_000;
    private static final int LONGEST_DUMP = 256;
    private static final int PER_LINE = 16;

    private Bytes() {}

    public static List<String> lines(byte[] bytes) {
        return text(bytes).map(Bytes::textLines).orElseGet(() -> dump(bytes));
    }

    /** As text, if that is what they are: UTF-8, and no control characters but line ends and tabs. */
    static Optional<String> text(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            boolean readable = text.codePoints().allMatch(c -> c == '\n' || c == '\r' || c == '\t' || !Character.isISOControl(c));
            return readable ? Optional.of(text) : Optional.empty();
        } catch (CharacterCodingException notText) {
            return Optional.empty();
        }
    }

    private static List<String> textLines(String text) {
        int end = Cut.isLonger(text, LONGEST_TEXT) ? text.offsetByCodePoints(0, LONGEST_TEXT) : text.length();
        var lines = new ArrayList<>(text.substring(0, end).lines().map(Printable::of).toList());
        if (end < text.length()) {
            lines.add("… and %,d characters more".formatted(text.codePointCount(end, text.length())));
        }
        return lines;
    }

    /** Offset, sixteen bytes, and the visible ASCII among them. */
    private static List<String> dump(byte[] bytes) {
        var lines = new ArrayList<String>();
        int end = Math.min(bytes.length, LONGEST_DUMP);
        for (int at = 0; at < end; at += PER_LINE) {
            lines.add(dumpLine(at, Arrays.copyOfRange(bytes, at, Math.min(end, at + PER_LINE))));
        }
        if (end < bytes.length) {
            lines.add("… and %,d bytes more".formatted(bytes.length - end));
        }
        return lines;
    }

    private static String dumpLine(int offset, byte[] bytes) {
        var hex = new StringBuilder();
        var ascii = new StringBuilder();
        for (byte b : bytes) {
            hex.append("%02x ".formatted(b));
            ascii.append(b >= 0x20 && b < 0x7f ? (char) b : '.');
        }
        return "%06x  %-48s %s".formatted(offset, hex, ascii);
    }
}
