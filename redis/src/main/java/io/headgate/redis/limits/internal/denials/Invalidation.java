package io.headgate.redis.limits.internal.denials;

import java.util.List;

/** A message to other instances that denials in their caches may no longer hold. */
public sealed interface Invalidation {

    /** The part of the rule's keys that is the same for all ids. */
    String stem();

    /** Equal for two invalidations that can be merged into one. */
    Object mergeKey();

    /** Merges this with another one of the same {@link #mergeKey}. */
    Invalidation merge(Invalidation other);

    /**
     * Permits of these ids were refunded, or the counter was reset.
     *
     * @param permits the most that were returned; {@link Long#MAX_VALUE} after a reset
     */
    record OfIds(String stem, List<String> ids, long permits) implements Invalidation {

        @Override
        public Object mergeKey() {
            return List.of(stem, ids);
        }

        @Override
        public Invalidation merge(Invalidation other) {
            long sum = permits + (other instanceof OfIds more ? more.permits : 0);
            return new OfIds(stem, ids, sum < 0 ? Long.MAX_VALUE : sum);
        }
    }

    /** The rule was updated in some instance: denials of all its ids may no longer hold. */
    record OfRule(String stem) implements Invalidation {

        @Override
        public Object mergeKey() {
            return stem;
        }

        @Override
        public Invalidation merge(Invalidation other) {
            return this;
        }
    }
}
