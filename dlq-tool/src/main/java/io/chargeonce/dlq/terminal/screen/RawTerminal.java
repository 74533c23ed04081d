// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * This process's terminal with a screen of its own and keys that come without Return. Unless the process is ended by a
 * SIGKILL, the terminal is as it was. One thread.
 */
public final class RawTerminal implements AutoCloseable {

    private static final String TERMINAL = "/dev/tty";
    private static final int LINES_UNLESS_KNOWN = 24;
    private static final int COLUMNS_UNLESS_KNOWN = 80;

    /** Rows and columns. */
    public record Size(int rows, int columns) {}

    private final PrintWriter out;
    private final String before;
    private final FileInputStream keys;
    private final Thread atTheEnd = new Thread(this::restore, "restore-terminal");
    private boolean restored;

    /** @param tenths of a second that {@link #key} waits */
    public RawTerminal(PrintWriter out, int tenths) throws IOException {
        this.out = out;
        this.before = stty("-g");
        this.keys = new FileInputStream(TERMINAL);
        Runtime.getRuntime().addShutdownHook(atTheEnd);
        // Signals stay on: Ctrl-C ends a process that hangs.
        stty("-icanon", "-echo", "min", "0", "time", "" + tenths);
        out.print("\u001b[?1049h\u001b[?25l");
        out.flush();
    }

    /** The key that was pressed, or a space if none was for as long as the terminal waits. */
    public int key() throws IOException {
        int key = keys.read();
        return key < 0 ? ' ' : key;
    }

    /** May change whenever the window does. */
    public Size size() throws IOException {
        String[] size = stty("size").split(" ");
        if (size.length != 2 || size[0].equals("0") || size[1].equals("0")) {
            return new Size(LINES_UNLESS_KNOWN, COLUMNS_UNLESS_KNOWN);
        }
        return new Size(Integer.parseInt(size[0]), Integer.parseInt(size[1]));
    }

    /** In place, without a flicker; what does not fit is cut off. */
    public void draw(Iterable<String> lines, Size size) {
        out.print("\u001b[H");
        int row = 0;
        for (String line : lines) {
            if (row++ < size.rows()) {
                out.print((row == 1 ? "" : "\r\n") + line + "\u001b[K");
            }
        }
        out.print("\u001b[J");
        out.flush();
    }

    private static String stty(String... arguments) throws IOException {
        var command = new ArrayList<>(List.of("stty"));
        command.addAll(List.of(arguments));
        Process stty = new ProcessBuilder(command).redirectInput(new File(TERMINAL)).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        return new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private synchronized void restore() {
        if (restored) {
            return;
        }
        restored = true;
        out.print("\u001b[?25h\u001b[?1049l");
        out.flush();
        try {
            stty(before);
        } catch (IOException gone) {
            // The terminal itself is gone, so its settings no longer matter.
        }
    }

    @Override
    public void close() throws IOException {
        restore();
        keys.close();
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException itIsShuttingDown) {
            // The hook has found nothing left to do.
        }
    }
}
