package io.headgate.limits.internal;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who waits behind one another for the same ids, and what the first was told last. Guarded by its {@link WaitingLines}. */
final class WaitingLine {

    final List<List<String>> ids;
    final ArrayDeque<Wait> waits = new ArrayDeque<>();

    @Nullable
    Decision lastDenial;

    /** The sleep of the first, unless it asks. */
    Sleepers.@Nullable Sleep sleep;

    /** Whether something has changed since the first asked, so that its answer may be of before. */
    boolean changed;

    WaitingLine(List<List<String>> ids) {
        this.ids = ids;
    }

    /** Who waits for the same of these waits in one line: the ids of each rule. */
    static List<List<String>> idsOf(Policy policy, Attributes attributes) {
        return policy.rules().stream().map(attributes::idsOf).toList();
    }
}
