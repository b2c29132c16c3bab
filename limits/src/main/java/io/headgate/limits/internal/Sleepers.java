package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.RuleDecision;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The firsts of their lines that sleep until a retry-after has passed, by what denied them. Not safe for use by several threads. */
final class Sleepers {

    private final Set<Sleep> all = new LinkedHashSet<>();
    private final Map<Count, Set<Sleep>> byCount = new HashMap<>();

    /** One sleep; the same wait may sleep again and again. */
    static final class Sleep {

        final WaitingLine line;
        final Wait wait;
        private final List<Count> deniedBy;

        private Sleep(WaitingLine line, Wait wait, List<Count> deniedBy) {
            this.line = line;
            this.wait = wait;
            this.deniedBy = deniedBy;
        }
    }

    Sleep add(WaitingLine line, Wait wait, Decision denial) {
        Sleep sleep = new Sleep(line, wait, deniedBy(denial, wait.attributes));
        all.add(sleep);
        sleep.deniedBy.forEach(count ->
                byCount.computeIfAbsent(count, any -> new LinkedHashSet<>()).add(sleep));
        return sleep;
    }

    /** What a denied request was denied by, or as an attempt has filled. */
    static List<Count> deniedBy(Decision denial, Attributes attributes) {
        return denial.rules().stream()
                .filter(rule -> !rule.allowed() || rule.retryable())
                .map(RuleDecision::rule)
                .map(rule -> Count.of(rule, attributes))
                .toList();
    }

    /** Whether it still slept; of those who would wake it only one is told so. */
    boolean remove(Sleep sleep) {
        sleep.deniedBy.forEach(count -> byCount.computeIfPresent(count, (any, sleeps) -> {
            sleeps.remove(sleep);
            return sleeps.isEmpty() ? null : sleeps;
        }));
        return all.remove(sleep);
    }

    List<Sleep> all() {
        return List.copyOf(all);
    }

    /** Those whom this denied, up to so many, who slept first first. */
    List<Sleep> deniedBy(Count count, long most) {
        return byCount.getOrDefault(count, Set.of()).stream().limit(most).toList();
    }
}
