package io.headgate.redis.limits;

import java.util.List;

/** What other instances are told: something has changed by which a denial that they know may hold no longer. */
sealed interface News {

    /** The part of the rule's keys that is the same for all ids. */
    String stem();

    /** What makes it one with others, so that they are told together. */
    Object about();

    /** The same with another one about the same. */
    News and(News other);

    /**
     * Permits of these ids were taken back, or all are forgotten.
     *
     * @param permits how many at the most; as many as can be where all are forgotten
     */
    record Freed(String stem, List<String> ids, long permits) implements News {

        @Override
        public Object about() {
            return List.of(stem, ids);
        }

        @Override
        public News and(News other) {
            long both = permits + (other instanceof Freed freed ? freed.permits : 0);
            return new Freed(stem, ids, both < 0 ? Long.MAX_VALUE : both);
        }
    }

    /** The rule was another one somewhere, and is changed. */
    record Changed(String stem) implements News {

        @Override
        public Object about() {
            return stem;
        }

        @Override
        public News and(News other) {
            return this;
        }
    }
}
