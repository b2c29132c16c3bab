package io.headgate.spring.annotation;

import java.util.List;

/**
 * What an annotation declares.
 *
 * @param inFlight whether it is {@link InFlight}, and not {@link RateLimited}
 */
record LimitSpec(
        boolean inFlight,
        String policy,
        List<String> by,
        String permits,
        String maxWait,
        int maxWaiting,
        String fallbackMethod) {

    static LimitSpec of(RateLimited annotation) {
        return new LimitSpec(
                false,
                annotation.policy(),
                List.of(annotation.by()),
                annotation.permits(),
                annotation.maxWait(),
                annotation.maxWaiting(),
                annotation.fallbackMethod());
    }

    static LimitSpec of(InFlight annotation) {
        return new LimitSpec(
                true,
                annotation.policy(),
                List.of(annotation.by()),
                annotation.permits(),
                annotation.maxWait(),
                annotation.maxWaiting(),
                annotation.fallbackMethod());
    }

    /** The annotation, for messages. */
    String annotation() {
        return inFlight ? "@InFlight" : "@RateLimited";
    }
}
