package io.headgate.testkit.consul;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** JSON objects whose members are strings, numbers and null, as requests to Consul have them. */
final class FlatJson {

    private static final Pattern OBJECT = Pattern.compile("\\{((?:[^{}\"]|\"(?:[^\"\\\\]|\\\\.)*+\")*+)}");
    private static final Pattern MEMBER =
            Pattern.compile("\"(\\w+)\"\\s*:\\s*(?:\"((?:[^\"\\\\]|\\\\.)*+)\"|(-?\\d+))");
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:u([0-9a-fA-F]{4})|(.))");

    private FlatJson() {}

    /** Reads all innermost objects of a text. The names of their members are in lower case, since Consul ignores their case. */
    static List<Map<String, String>> objects(String text) {
        List<Map<String, String>> objects = new ArrayList<>();
        Matcher object = OBJECT.matcher(text);
        while (object.find()) {
            Map<String, String> members = new LinkedHashMap<>();
            Matcher member = MEMBER.matcher(object.group(1));
            while (member.find()) {
                String value = member.group(2) == null ? member.group(3) : unescaped(member.group(2));
                members.put(member.group(1).toLowerCase(Locale.ROOT), value);
            }
            objects.add(members);
        }
        return objects;
    }

    private static String unescaped(String text) {
        return ESCAPE.matcher(text).replaceAll(found -> {
            String plain = found.group(1) == null
                    ? switch (found.group(2)) {
                        case "n" -> "\n";
                        case "t" -> "\t";
                        case "r" -> "\r";
                        default -> found.group(2);
                    }
                    : String.valueOf((char) Integer.parseInt(found.group(1), 16));
            return Matcher.quoteReplacement(plain);
        });
    }

    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.chars().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append((char) c);
            } else if (c < ' ') {
                quoted.append("\\u%04x".formatted(c));
            } else {
                quoted.append((char) c);
            }
        });
        return quoted.append('"').toString();
    }
}
