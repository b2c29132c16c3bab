package io.headgate.redis.internal;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The failures of one engine: those of its half while the engine is open, and the exception of a closed engine afterwards. That
 * exception has as its cause what would have been thrown, which says whether the call may be done.
 *
 * @param whenClosed returns the exception of a closed engine; nothing while the engine is open
 */
public record EngineFailures(Failures whileOpen, Function<@Nullable Throwable, Optional<RuntimeException>> whenClosed)
        implements Failures {

    @Override
    public RuntimeException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        return orClosed(whileOpen.failure(operation, key, problem, mayBeDone, cause));
    }

    /** That failure, or the exception of the engine when it is closed. */
    public RuntimeException orClosed(RuntimeException failure) {
        return whenClosed.apply(failure).orElse(failure);
    }

    /** The exception of the engine when it is closed. */
    public Optional<RuntimeException> closed() {
        return whenClosed.apply(null);
    }

    @Override
    public String notDone(String operation) {
        return whileOpen.notDone(operation);
    }
}
