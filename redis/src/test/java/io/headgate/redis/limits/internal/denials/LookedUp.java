package io.headgate.redis.limits.internal.denials;

import java.util.AbstractList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Ids that run an action when a map looks them up for the nth time. */
final class LookedUp extends AbstractList<String> {

    private final List<String> ids;
    private final Runnable action;
    private int lookups;

    LookedUp(List<String> ids, int lookups, Runnable action) {
        this.ids = ids;
        this.lookups = lookups;
        this.action = action;
    }

    @Override
    public int hashCode() {
        lookups--;
        if (lookups == 0) {
            action.run();
        }
        return super.hashCode();
    }

    @Override
    @SuppressWarnings("RedundantOverride") // as hashCode is overridden
    public boolean equals(@Nullable Object other) {
        return super.equals(other);
    }

    @Override
    public String get(int index) {
        return ids.get(index);
    }

    @Override
    public int size() {
        return ids.size();
    }
}
