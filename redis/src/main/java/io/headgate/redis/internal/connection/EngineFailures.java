package io.headgate.redis.internal.connection;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates the exceptions of one engine. While the engine is open, these are the exceptions of limits or queues. Once it
 * is closed, such an exception is the cause of the exception of a closed engine, and states whether the call may have
 * been executed.
 *
 * @param whileOpen creates the exceptions while the engine is open
 * @param whenClosed returns the exception of a closed engine; empty while the engine is open
 * @param whenForeign receives all keys of a call that failed because one of them holds a foreign value
 */
public record EngineFailures(
        Failures whileOpen,
        Function<@Nullable Throwable, Optional<RuntimeException>> whenClosed,
        Consumer<List<String>> whenForeign)
        implements Failures {

    /** Creates the failures of an engine that does not report foreign values. */
    public EngineFailures(Failures whileOpen, Function<@Nullable Throwable, Optional<RuntimeException>> whenClosed) {
        this(whileOpen, whenClosed, keys -> {});
    }

    @Override
    public void foreign(List<String> keys) {
        whenForeign.accept(keys);
    }

    @Override
    public RuntimeException failure(
            String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
        return orClosed(whileOpen.failure(operation, key, problem, mayBeDone, cause));
    }

    /** Returns the given failure, or the exception of a closed engine with that cause if the engine is closed. */
    public RuntimeException orClosed(RuntimeException failure) {
        return whenClosed.apply(failure).orElse(failure);
    }

    /** Returns the exception of a closed engine; empty while the engine is open. */
    public Optional<RuntimeException> closed() {
        return whenClosed.apply(null);
    }

    @Override
    public String notDone(String operation) {
        return whileOpen.notDone(operation);
    }
}
