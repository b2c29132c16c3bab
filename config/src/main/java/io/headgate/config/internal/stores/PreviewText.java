package io.headgate.config.internal.stores;

import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyPreview.RuleCounts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Previews as they are stored: four lines with the shadow version, the version in force, since when in milliseconds since 1970, and the
 * problem; then a line for each policy, which begins with {@code P}, and after it one for each rule, which begins with {@code R}.
 * Lines of another kind are skipped, so that later versions can add some.
 */
public final class PreviewText {

    /** More than the bytes of any preview, and less than the 512 kB that Consul accepts as a value. */
    static final int MAX_BYTES = 500_000;

    private static final int HEAD = 4;
    private static final int MAX_PROBLEM = 1000;

    private PreviewText() {}

    /** Encodes a preview. */
    public static String encode(PolicyPreview preview) {
        PolicyPreview bounded = preview.bounded(PolicyPreview.MAX_POLICIES);
        String problem = bounded.problem().orElse("").lines().findFirst().orElse("");
        StringBuilder text = new StringBuilder(bounded.version())
                .append('\n')
                .append(bounded.comparedWith())
                .append('\n')
                .append(bounded.since().toEpochMilli())
                .append('\n')
                .append(problem, 0, Math.min(MAX_PROBLEM, problem.length()));
        int rules = 0;
        for (PolicyCounts policy : bounded.policies()) {
            text.append("\nP ").append(policy.policy());
            text.append(policy.isSettled() ? " settled " : " settling ");
            text.append(policy.settledFrom().toEpochMilli());
            text.append(' ').append(policy.requests());
            append(text, policy.outcomes(), policy.incomplete());
            text.append(' ').append(policy.skipped()).append(' ').append(policy.failed());
            rules += policy.rules().size();
            if (rules <= PolicyPreview.MAX_RULES) {
                policy.rules().forEach(rule -> {
                    text.append("\nR ").append(rule.rule());
                    append(text, rule.outcomes(), rule.incomplete());
                });
            }
        }
        return text.toString();
    }

    private static void append(StringBuilder text, Outcomes outcomes, long incomplete) {
        text.append(' ').append(outcomes.denied());
        text.append(' ').append(outcomes.wouldBeDenied());
        text.append(' ').append(outcomes.newlyDenied());
        text.append(' ').append(outcomes.newlyAllowed());
        text.append(' ').append(incomplete);
    }

    /** Returns the versions and the problem of a preview, without its counts; empty if there is no preview. */
    static List<String> head(String text) {
        List<String> lines = text.lines().limit(HEAD).toList();
        return lines.size() < 2
                ? List.of()
                : List.of(lines.get(0), lines.get(1), lines.size() < HEAD ? "" : lines.get(3));
    }

    /** Decodes a preview; empty if another program wrote the text. */
    public static Optional<PolicyPreview> decode(String text) {
        String[] lines = text.split("\n", -1);
        if (lines.length < HEAD) {
            return Optional.empty();
        }
        try {
            List<PolicyCounts> policies = new ArrayList<>();
            for (int i = HEAD; i < lines.length; i++) {
                String[] words = lines[i].split(" ", -1);
                if (words[0].equals("P")) {
                    policies.add(new PolicyCounts(
                            words[1],
                            words[2].equals("settled"),
                            Instant.ofEpochMilli(number(words, 3)),
                            number(words, 4),
                            outcomes(words, 5),
                            number(words, 9),
                            number(words, 10),
                            number(words, 11),
                            rules(lines, i + 1)));
                }
            }
            return Optional.of(new PolicyPreview(
                    lines[0],
                    lines[1],
                    Instant.ofEpochMilli(Long.parseLong(lines[2])),
                    Optional.of(lines[3]).filter(problem -> !problem.isEmpty()),
                    policies));
        } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    private static List<RuleCounts> rules(String[] lines, int from) {
        List<RuleCounts> rules = new ArrayList<>();
        for (int i = from; i < lines.length && !lines[i].startsWith("P "); i++) {
            String[] words = lines[i].split(" ", -1);
            if (words[0].equals("R")) {
                rules.add(new RuleCounts(words[1], outcomes(words, 2), number(words, 6)));
            }
        }
        return rules;
    }

    private static Outcomes outcomes(String[] words, int from) {
        return new Outcomes(
                number(words, from), number(words, from + 1), number(words, from + 2), number(words, from + 3));
    }

    private static long number(String[] words, int at) {
        return Long.parseLong(words[at]);
    }
}
