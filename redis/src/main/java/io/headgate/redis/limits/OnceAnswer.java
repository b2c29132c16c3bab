package io.headgate.redis.limits;

import org.jspecify.annotations.Nullable;

/** What came of a request with an id: an answer, of now or before, or why there is none. */
record OnceAnswer<T>(@Nullable T answer, @Nullable RuntimeException problem) {

    /** The answer, or the problem is thrown. */
    T orThrow() {
        if (answer == null) {
            throw problem == null ? new IllegalStateException("neither an answer nor a problem") : problem;
        }
        return answer;
    }
}
