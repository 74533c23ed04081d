// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.text;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A text file that a person brings, in UTF-8. Some editors begin it with a byte order mark, which belongs to no line. Any thread. */
public final class TextFile {

    private static final char BYTE_ORDER_MARK = '\ufeff';

    private TextFile() {}

    /** @throws IOException if it cannot be read, or is not in UTF-8 */
    public static BufferedReader open(Path file) throws IOException {
        return open(Files.newInputStream(file));
    }

    /** It is closed with the reader. */
    public static BufferedReader open(InputStream bytes) throws IOException {
        // A decoder of its own refuses what is not UTF-8, where the charset's name would replace it.
        var reader = new BufferedReader(new InputStreamReader(bytes, StandardCharsets.UTF_8.newDecoder()));
        try {
            reader.mark(1);
            if (reader.read() != BYTE_ORDER_MARK) {
                reader.reset();
            }
            return reader;
        } catch (IOException e) {
            reader.close();
            throw e;
        }
    }

    /** The whole of a small file. */
    public static String read(Path file) throws IOException {
        try (BufferedReader reader = open(file)) {
            var text = new StringWriter();
            reader.transferTo(text);
            return text.toString();
        }
    }
}
