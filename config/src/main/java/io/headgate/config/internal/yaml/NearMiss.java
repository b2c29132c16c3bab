package io.headgate.config.internal.yaml;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Suggests which allowed key or name was probably meant by an unknown one. */
public final class NearMiss {

    private static final int MAX_LENGTH = 64;

    /** Synonyms of keys, from Headgate or other tools. */
    private static final Map<String, List<String>> OTHER_WORDS = Map.ofEntries(
            Map.entry("dimension", List.of("by")),
            Map.entry("dimensions", List.of("by")),
            Map.entry("key", List.of("by")),
            Map.entry("limit", List.of("permits", "capacity")),
            Map.entry("permits", List.of("capacity")),
            Map.entry("burst", List.of("capacity")),
            Map.entry("rate", List.of("refill", "leak")),
            Map.entry("refill", List.of("leak")),
            Map.entry("leak", List.of("refill")),
            Map.entry("shape", List.of("mode")),
            Map.entry("shaper", List.of("mode")),
            Map.entry("period", List.of("window", "per")),
            Map.entry("window", List.of("per")),
            Map.entry("unit", List.of("per")),
            Map.entry("timezone", List.of("zone")),
            Map.entry("time-zone", List.of("zone")),
            Map.entry("tz", List.of("zone")),
            Map.entry("attempts", List.of("count-attempts")),
            Map.entry("dry-run", List.of("shadow")),
            Map.entry("report-only", List.of("shadow")),
            Map.entry("policy", List.of("policies")),
            Map.entry("rule", List.of("rules")),
            Map.entry("alignment", List.of("align")),
            Map.entry("uri", List.of("url")),
            Map.entry("host", List.of("url")),
            Map.entry("user", List.of("username")),
            Map.entry("prefix", List.of("key-prefix")),
            Map.entry("instances", List.of("expected-instances")),
            Map.entry("coalescing", List.of("batching")),
            Map.entry("colocation", List.of("colocate")));

    private NearMiss() {}

    /** Returns the allowed key that is a synonym of {@code given}, or is spelled almost like it. */
    public static Optional<String> of(String given, List<String> allowed) {
        if (given.length() > MAX_LENGTH) {
            return Optional.empty();
        }
        Optional<String> synonym = OTHER_WORDS.getOrDefault(given, List.of()).stream()
                .filter(allowed::contains)
                .findFirst();
        return synonym.or(() -> allowed.stream()
                .filter(key -> distance(given, key) <= Math.max(1, key.length() / 4))
                .min(Comparator.comparingInt(key -> distance(given, key))));
    }

    /** Returns the end of an error with an unknown key: what was probably meant, and what is allowed. */
    public static String hint(Optional<String> meant, List<String> allowed) {
        return meant.map(near -> "; did you mean " + near + "?").orElse(".") + " Allowed: "
                + String.join(", ", allowed);
    }

    private static int distance(String given, String allowed) {
        return edits(letters(given), letters(allowed));
    }

    /** Returns a key without hyphens and underscores, in lower case: it is the same in all spellings of the key. */
    public static String letters(String key) {
        return key.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    /** Returns the edit distance with transpositions between two words (Damerau-Levenshtein, optimal string alignment). */
    private static int edits(String from, String to) {
        int[][] edits = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (i == 0 || j == 0) {
                    edits[i][j] = i + j;
                    continue;
                }
                int replace = edits[i - 1][j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                edits[i][j] = Math.min(replace, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
                boolean swapped = i > 1
                        && j > 1
                        && from.charAt(i - 1) == to.charAt(j - 2)
                        && from.charAt(i - 2) == to.charAt(j - 1);
                if (swapped) {
                    edits[i][j] = Math.min(edits[i][j], 1 + edits[i - 2][j - 2]);
                }
            }
        }
        return edits[from.length()][to.length()];
    }
}
