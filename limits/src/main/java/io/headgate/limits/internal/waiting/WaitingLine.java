package io.headgate.limits.internal.waiting;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.limits.RuleDecision;
import io.headgate.limits.bans.BanEntry;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.overrides.OverrideIndex;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for the same ids and limits, under the same ban or exemption if any, in order of arrival. Guarded by the lock of
 * its {@link WaitingLines}.
 */
final class WaitingLine {

    /** The sleep of the first request of a line until a retry-after has passed. A request may sleep several times. */
    static final class Sleep {

        final WaitingLine line;
        final Wait wait;
        final List<Count> deniedBy;

        Sleep(WaitingLine line, Wait wait, List<Count> deniedBy) {
            this.line = line;
            this.wait = wait;
            this.deniedBy = deniedBy;
        }
    }

    /**
     * The key of a line.
     *
     * @param counts the ids of its requests and, if the policy has overrides, their limits
     * @param ban the target of the ban or exemption that applied to its requests when they arrived
     */
    record Key(Object counts, Optional<BanTarget> ban) {}

    final Key key;

    final ArrayDeque<Wait> waits = new ArrayDeque<>();

    @Nullable
    Decision lastDenial;

    /** The sleep of the first request; null while its attempt is in flight. */
    @Nullable
    Sleep sleep;

    /** Whether the policy, or anything else, may have changed since the attempt of the first request was sent. */
    boolean changed;

    /** The counts that were refunded or reset since the attempt of the first request was sent. */
    final Set<Count> freed = new HashSet<>();

    WaitingLine(Key key) {
        this.key = key;
    }

    void forgetChanges() {
        changed = false;
        freed.clear();
    }

    /**
     * Whether a change since the attempt of the first request was sent may admit it now. Refunds of rules that allowed the request are
     * ignored: on a Cluster, a request that another rule denies causes such refunds itself, and would retry without end.
     */
    boolean mayHaveChanged(Decision denial, Attributes attributes) {
        return changed
                || (!freed.isEmpty() && deniedBy(denial, attributes).stream().anyMatch(freed::contains));
    }

    /**
     * Returns the counts of the rules that denied a request, and of those that allowed it, counted it as a denied attempt, and would deny
     * it now.
     */
    static List<Count> deniedBy(Decision denial, Attributes attributes) {
        return denial.rules().stream()
                .filter(rule -> !rule.allowed() || rule.retryable())
                .map(RuleDecision::rule)
                .map(rule -> Count.of(rule, attributes))
                .toList();
    }

    /**
     * Returns the key of the line in which a request waits: the ids of each rule, and the overrides that apply. So a request with a
     * higher limit does not wait behind a request that a lower limit denies. The same holds for a request behind one that is banned.
     */
    static Key keyOf(Policy policy, Attributes attributes, Optional<BanTarget> ban) {
        List<List<String>> ids = policy.rules().stream().map(attributes::idsOf).toList();
        return new Key(
                policy.overrides().isEmpty()
                        ? ids
                        : List.of(ids, OverrideIndex.effectiveRules(policy.rules(), policy.overrides(), attributes)),
                ban);
    }

    /** Whether the first request may stay in this line after a denial: not if a ban denied it that does not apply to the others. */
    boolean mayWaitFor(Decision denial) {
        Optional<BanTarget> denying = denial.ban().map(BanEntry::target);
        return denying.isEmpty() || denying.equals(key.ban());
    }
}
