// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.load.attack;

import java.util.regex.Pattern;

/**
 * What a server said until it closed.
 *
 * @param status of the first answer; 0 if it closed without one
 * @param silent whether it neither closed nor answered in time
 * @param text   all of it, line by line as it came
 */
record Reply(int status, boolean silent, String text) {

    private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})");
    private static final Pattern LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d{1,9})\r\n");
    private static final Pattern PROBLEM = Pattern.compile("urn:chargeonce:problem:([a-z-]+)");

    static Reply of(String text, boolean silent) {
        var found = STATUS.matcher(text);
        return new Reply(found.lookingAt() ? Integer.parseInt(found.group(1)) : 0, silent, text);
    }

    /** Whether this is a head with all of the body that it announces. One byte a character. */
    static boolean isWhole(String text) {
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return false;
        }
        var length = LENGTH.matcher(text.substring(0, end + 2));
        return length.find() ? text.length() - end - 4 >= Integer.parseInt(length.group(1)) : text.endsWith("\r\n0\r\n\r\n");
    }

    /** Refused by a rule of the server, or hung up on. An error of the server is none: it did not see the attack. */
    boolean refused() {
        return !silent && (status == 0 || status >= 400 && status < 500 || status == 501 || status == 505);
    }

    /** How many answers came; leave to go on is none. More than were asked for is a request that was smuggled in. */
    long answers() {
        return STATUS.matcher(text).results().filter(answer -> !answer.group(1).startsWith("1")).count();
    }

    String head() {
        return text.split("\r\n\r\n", 2)[0];
    }

    String body() {
        String[] parts = text.split("\r\n\r\n", 2);
        return parts.length == 2 ? parts[1] : "";
    }

    /** For a line of the report. */
    @Override
    public String toString() {
        if (silent) {
            return "no end";
        }
        var problem = PROBLEM.matcher(text);
        return status == 0 ? "closed" : status + (problem.find() ? " " + problem.group(1) : "");
    }
}
