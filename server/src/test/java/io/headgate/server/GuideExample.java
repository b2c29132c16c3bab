package io.headgate.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A command in a guide after a dollar sign, with its output below. A line {@code …} stands for omitted lines.
 *
 * @param command one line for a shell
 * @param output the lines of the output; JSON may have more line breaks than the server writes
 */
public record GuideExample(String command, String output) {

    /** Three groups: a command, which a backslash continues; the indented lines below it, up to the next command; a block of JSON. */
    private static final Pattern EXAMPLE = Pattern.compile("(?m)^ {4}\\$ ((?:.*\\\\\\n)*.*)\\n"
            + "((?: {4}(?!\\$ ).*\\n|\\n(?= {4}(?!\\$ )))*)"
            + "(?:\\n```json\\n((?s:.*?))```)?");

    /** All examples of the guide, in their order. */
    public static List<GuideExample> in(Path guide) throws IOException {
        List<GuideExample> examples = new ArrayList<>();
        for (MatchResult found :
                EXAMPLE.matcher(Files.readString(guide)).results().toList()) {
            String output = found.group(3) == null ? found.group(2).replaceAll("(?m)^ {4}", "") : found.group(3);
            examples.add(new GuideExample(found.group(1).replaceAll("\\\\\\n\\s*", ""), output.strip()));
        }
        return examples;
    }

    /** The printed text without the lines that the guide omits; unchanged if the rest differs. */
    public static String elided(String printed, String shown) {
        String lines = Stream.of(shown.split("\n", -1))
                .map(line -> line.equals("…") ? "(?s:.*?)" : Pattern.quote(line))
                .collect(Collectors.joining("\n"));
        return shown.lines().anyMatch("…"::equals) && printed.matches(lines) ? shown : printed;
    }
}
