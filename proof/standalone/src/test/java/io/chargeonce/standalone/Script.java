// SPDX-License-Identifier: Apache-2.0
package io.chargeonce.standalone;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A shell script of the repository, and the commands of ours that it would run, read without starting it. */
record Script(Path file, String text) {

    /** In a word: what only a run knows. */
    static final char UNKNOWN = '\0';
    /** A word: any number of words that only a run knows. */
    static final String ANY_MORE = "\0…";

    private static final Pattern LAUNCHED = Pattern.compile("(?<![\\w/.-])(?:\\./|'?\\$root/)chargeonce'?(?=\\s)"
            + "|\\bchargeonce:local(?=\\s)|(?:(?<=[\"'])|(?<=\" ))chargeonce(?= [a-z][a-z-]*[\\s\"'])|\\./as-owner(?=\\s)");
    private static final Pattern FUNCTION = Pattern.compile("(?m)^( *)(\\w+)\\(\\) \\{(?:( .*) \\}$|((?s:.*?))^\\1\\})");
    private static final Pattern SHIFT = Pattern.compile("\\bshift(?: (\\d))?");

    /** A function that runs a command of ours with what it is given, less so many words. */
    private record Wrapper(List<String> first, int dropped) {}

    /** Those that a shell runs, found by their first line. */
    static List<Script> all() throws IOException {
        Path root = Repository.root();
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> !root.relativize(file).toString().matches("(.*/)?(target|node_modules|\\.git|\\.chargeonce)(/.*)?"))
                    .filter(Files::isRegularFile).map(Script::read).filter(script -> script.text.matches("(?s)#!\\S*[/ ](ba)?sh\\b.*"))
                    .toList();
        }
    }

    private static Script read(Path file) {
        try {
            return new Script(file, Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The words behind {@code chargeonce}, for each time that it is called, by its name or by a function that passes words on. */
    List<List<String>> commands() {
        String code = text.replace("\\\n", " ").replaceAll("(?m)^ *#.*$", "");
        Map<String, Wrapper> wrappers = wrappers(code);
        var found = new ArrayList<>(calls(code, LAUNCHED, List.of(), 0));
        wrappers.forEach((name, wrapper) -> found.addAll(calls(code, callOf(name), wrapper.first, wrapper.dropped)));
        return found.stream().filter(words -> !words.isEmpty() && !words.getFirst().equals(ANY_MORE)).toList();
    }

    /** Where that function is called, and not where its name is a word. */
    private static Pattern callOf(String function) {
        return Pattern.compile("(?m)(?:^|[;&|({!]|\\b(?:then|do|else|until|while|if)\\b|(?:^|[ ;])\\w+=\\S* ) *" + function + "(?= )");
    }

    /** A function may pass on what it was given to another such function. */
    private static Map<String, Wrapper> wrappers(String code) {
        var wrappers = new HashMap<String, Wrapper>();
        int before;
        do {
            before = wrappers.size();
            FUNCTION.matcher(code).results().filter(function -> !wrappers.containsKey(function.group(2))).toList().forEach(function -> {
                String body = function.group(3) == null ? function.group(4) : function.group(3);
                int shifted = SHIFT.matcher(body).results().mapToInt(shift -> shift.group(1) == null ? 1 : Integer.parseInt(shift.group(1)))
                        .sum();
                var calls = new ArrayList<>(calls(body, LAUNCHED, List.of(), 0));
                Map.copyOf(wrappers).forEach((name, inner) -> calls.addAll(calls(body, callOf(name), inner.first, inner.dropped)));
                calls.stream().filter(call -> call.contains(ANY_MORE)).findFirst().ifPresent(call -> wrappers.put(function.group(2),
                        new Wrapper(List.copyOf(call.subList(0, call.indexOf(ANY_MORE))), shifted + skipped(body))));
            });
        } while (wrappers.size() > before);
        return wrappers;
    }

    /** {@code "${@:2}"} leaves one word out. */
    private static int skipped(String body) {
        Matcher from = Pattern.compile("\\$\\{@:(\\d)\\}").matcher(body);
        return from.find() ? Integer.parseInt(from.group(1)) - 1 : 0;
    }

    private static List<List<String>> calls(String code, Pattern start, List<String> first, int dropped) {
        return start.matcher(code).results().map(call -> {
            List<String> words = new Words(code, call.end()).all();
            var whole = new ArrayList<>(first);
            whole.addAll(words.subList(Math.min(dropped, words.size()), words.size()));
            return List.copyOf(whole);
        }).toList();
    }

    /** The words of one simple command, up to what ends it. */
    private static final class Words {

        private final String code;
        private int at;
        private boolean ended;

        private Words(String code, int at) {
            this.code = code;
            this.at = at;
        }

        private List<String> all() {
            var words = new ArrayList<String>();
            while (!ended) {
                while (at < code.length() && code.charAt(at) == ' ') {
                    at++;
                }
                int begin = at;
                String word = word();
                boolean redirected = word.matches("[0-9&]") && at < code.length() && "<>".indexOf(code.charAt(at)) >= 0;
                if (at > begin && !redirected && !(ended && word.isEmpty())) {
                    words.add(code.substring(begin, at).matches("\"\\$(@|\\{@:\\d\\})\"|\\$\\{\\w+:?\\+.*|\"\\$\\{\\w+\\[@\\]\\}\"")
                            ? ANY_MORE
                            : word);
                }
                ended |= at >= code.length() || code.charAt(at) != ' ';
            }
            return words;
        }

        private String word() {
            var word = new StringBuilder();
            while (at < code.length() && " \n;|&<>)`".indexOf(code.charAt(at)) < 0) {
                char next = code.charAt(at);
                if (next == '\'' || next == '"') {
                    int close = next == '"' ? closing(at + 1) : code.indexOf('\'', at + 1);
                    int line = code.indexOf('\n', at);
                    // It ends a text that the whole command stands in.
                    if (close < 0 || line >= 0 && close > line) {
                        ended = true;
                        return word.toString();
                    }
                    word.append(next == '"' ? code.substring(at + 1, close).replaceAll("\\$(\\(.*\\)|\\{[^}]*\\}|\\w+|.)", "\0")
                            : code.substring(at + 1, close));
                    at = close + 1;
                } else if (next == '$') {
                    word.append(UNKNOWN);
                    expansion();
                } else {
                    word.append(next);
                    at++;
                }
            }
            return word.toString();
        }

        /** Where the double quote closes that opened before. */
        private int closing(int from) {
            int depth = 0;
            for (int i = from; i < code.length(); i++) {
                char next = code.charAt(i);
                if (next == '\\') {
                    i++;
                } else if (next == '(') {
                    depth++;
                } else if (next == ')') {
                    depth--;
                } else if (next == '"' && depth <= 0) {
                    return i;
                }
            }
            return -1;
        }

        /** Behind {@code $name}, <code>${…}</code> or {@code $(…)}. */
        private void expansion() {
            char open = at + 1 < code.length() ? code.charAt(at + 1) : ' ';
            if (open != '{' && open != '(') {
                Matcher name = Pattern.compile("\\$(\\w+|.)").matcher(code).region(at, code.length());
                at = name.lookingAt() ? name.end() : at + 1;
                return;
            }
            char close = open == '{' ? '}' : ')';
            int depth = 0;
            do {
                char next = code.charAt(at++);
                depth += next == open ? 1 : next == close ? -1 : 0;
            } while (at < code.length() && (depth > 0 || code.charAt(at - 1) == '$'));
        }
    }
}
