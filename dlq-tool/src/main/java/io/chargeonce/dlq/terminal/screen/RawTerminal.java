// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.EnumSet;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.ControlChar;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;

/**
 * This process's terminal with a screen of its own and keys that come without Return. Unless the process is ended by a
 * SIGKILL, the terminal is as it was. One thread.
 */
public final class RawTerminal implements AutoCloseable {

    private static final int LINES_UNLESS_KNOWN = 24;
    private static final int COLUMNS_UNLESS_KNOWN = 80;

    private final PrintWriter out;
    private final int tenths;
    private final Terminal terminal;
    private final Thread atTheEnd = new Thread(this::restore, "restore-terminal");
    private boolean restored;

    /** @param tenths of a second that {@link #key} waits */
    public RawTerminal(PrintWriter out, int tenths) throws IOException {
        this.out = out;
        this.tenths = tenths;
        this.terminal = TerminalBuilder.builder().system(true).dumb(false).nativeSignals(false).graphemeCluster(false).build();
        Runtime.getRuntime().addShutdownHook(atTheEnd);
        // Signals stay on, other than in the library's own raw mode: Ctrl-C ends a process that hangs.
        Attributes raw = terminal.getAttributes();
        raw.setLocalFlags(EnumSet.of(LocalFlag.ICANON, LocalFlag.ECHO), false);
        raw.setControlChar(ControlChar.VMIN, 0);
        raw.setControlChar(ControlChar.VTIME, 1);
        terminal.setAttributes(raw);
        out.print("\u001b[?1049h\u001b[?25l");
        out.flush();
    }

    /** The key that was pressed, or a space if none was for as long as the terminal waits. */
    public int key() throws IOException {
        int key = terminal.reader().read(100L * tenths);
        return key < 0 ? ' ' : key;
    }

    /** May change whenever the window does. */
    public Size size() {
        Size size = terminal.getSize();
        return size.getRows() == 0 || size.getColumns() == 0 ? Size.of(COLUMNS_UNLESS_KNOWN, LINES_UNLESS_KNOWN) : size;
    }

    /** In place, without a flicker; what does not fit is cut off. */
    public void draw(Iterable<String> lines, Size size) {
        out.print("\u001b[H");
        int row = 0;
        for (String line : lines) {
            if (row++ < size.getRows()) {
                out.print((row == 1 ? "" : "\r\n") + line + "\u001b[K");
            }
        }
        out.print("\u001b[J");
        out.flush();
    }

    private synchronized void restore() {
        if (restored) {
            return;
        }
        restored = true;
        out.print("\u001b[?25h\u001b[?1049l");
        out.flush();
        try {
            terminal.close();
        } catch (IOException gone) {
            // The terminal itself is gone, so its settings no longer matter.
        }
    }

    @Override
    public void close() {
        restore();
        try {
            Runtime.getRuntime().removeShutdownHook(atTheEnd);
        } catch (IllegalStateException itIsShuttingDown) {
            // The hook has found nothing left to do.
        }
    }
}
