// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.dlq.terminal.screen;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What was taken away and what was added, line by line; lines that stayed are shown once. */
public final class LineDifference {

    private final List<String> before;
    private final List<String> after;
    private final int[][] common;
    private final List<String> lines = new ArrayList<>();

    private LineDifference(List<String> before, List<String> after) {
        this.before = before;
        this.after = after;
        this.common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j)) ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
    }

    /** Records are 128 KiB at the most, and people don't break those into many thousand lines. */
    public static List<String> of(byte[] before, byte[] after) {
        var difference = new LineDifference(split(before), split(after));
        difference.walk();
        return difference.lines;
    }

    private static List<String> split(byte[] text) {
        return new String(text, StandardCharsets.UTF_8).lines().toList();
    }

    private void walk() {
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            boolean bothLeft = i < before.size() && j < after.size();
            if (bothLeft && before.get(i).equals(after.get(j))) {
                lines.add("  " + before.get(i++));
                j++;
            } else if (j == after.size() || i < before.size() && common[i + 1][j] >= common[i][j + 1]) {
                lines.add("- " + before.get(i++));
            } else {
                lines.add("+ " + after.get(j++));
            }
        }
    }
}
