package io.headgate.spring.internal.expression;

import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Converts the results of expressions that are of a reactive library. Needs Reactor. */
public final class ReactiveResults {

    private ReactiveResults() {}

    /** Returns a conversion of results such as a {@link Mono} to a {@link CompletionStage}. The first value of a stream counts. */
    public static UnaryOperator<Object> stages() {
        return stages(Context.empty());
    }

    /**
     * Returns a conversion of results such as a {@link Mono} to a {@link CompletionStage}. The first value of a stream counts.
     *
     * @param context the context of what subscribes to the results
     */
    public static UnaryOperator<Object> stages(ContextView context) {
        ReactiveAdapterRegistry adapters = ReactiveAdapterRegistry.getSharedInstance();
        return result -> {
            ReactiveAdapter adapter = result instanceof CompletionStage ? null : adapters.getAdapter(null, result);
            return adapter == null
                    ? result
                    : Mono.from(adapter.toPublisher(result))
                            .contextWrite(context)
                            .toFuture();
        };
    }
}
