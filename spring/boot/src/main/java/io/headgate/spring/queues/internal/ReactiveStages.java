package io.headgate.spring.queues.internal;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Mono;

/** Converts publishers, such as a {@link Mono}, to stages. Needs Reactor. */
final class ReactiveStages {

    private ReactiveStages() {}

    /** Returns a conversion of results of the type to a stage that completes with the publisher; empty if it is no publisher. */
    static Optional<Function<Object, CompletionStage<?>>> of(Class<?> type) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter == null
                ? Optional.empty()
                : Optional.of(result -> Mono.when(adapter.toPublisher(result)).toFuture());
    }
}
