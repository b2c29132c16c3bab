package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who waits behind one another for the same ids, and what the first was told last. Guarded by its {@link WaitingLines}. */
final class WaitingLine {

    final List<List<String>> ids;
    final ArrayDeque<Wait> waits = new ArrayDeque<>();

    @Nullable
    Decision lastDenial;

    /** The sleep of the first, unless it asks. */
    Sleepers.@Nullable Sleep sleep;

    /** Whether the policy has changed since the first asked, or anything may have, so that its answer may be of before. */
    boolean changed;

    /** Of which of its counts something was given back since then, or all is forgotten. */
    final Set<Count> freed = new HashSet<>();

    WaitingLine(List<List<String>> ids) {
        this.ids = ids;
    }

    void forgetChanges() {
        changed = false;
        freed.clear();
    }

    /**
     * Whether something has changed since the first asked that may have it admitted. Not what came free of a rule that lets it
     * pass: where it is denied by another one it may have given that back itself, and would so ask again and again.
     */
    boolean mayHaveChanged(Decision denial, Attributes attributes) {
        return changed
                || (!freed.isEmpty()
                        && Sleepers.deniedBy(denial, attributes).stream().anyMatch(freed::contains));
    }

    /** Who waits for the same of these waits in one line: the ids of each rule. */
    static List<List<String>> idsOf(Policy policy, Attributes attributes) {
        return policy.rules().stream().map(attributes::idsOf).toList();
    }
}
