package io.headgate.limits.internal.waiting;

import io.headgate.limits.Decision;
import io.headgate.limits.internal.waiting.WaitingLine.Sleep;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The requests that are first in their lines and sleep until a retry, by the counts that denied them. Not safe for use by several threads.
 */
final class Sleepers {

    private final Set<Sleep> all = new LinkedHashSet<>();
    private final Map<Count, Set<Sleep>> byCount = new HashMap<>();

    Sleep add(WaitingLine line, Wait wait, Decision denial) {
        Sleep sleep = new Sleep(line, wait, WaitingLine.deniedBy(denial, wait.attributes));
        all.add(sleep);
        sleep.deniedBy.forEach(count ->
                byCount.computeIfAbsent(count, any -> new LinkedHashSet<>()).add(sleep));
        return sleep;
    }

    /** Ends a sleep; returns true only for the first call. */
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

    /** Returns up to {@code most} sleeps that this count caused, the oldest first. */
    List<Sleep> deniedBy(Count count, long most) {
        return byCount.getOrDefault(count, Set.of()).stream().limit(most).toList();
    }
}
