package io.headgate.spring.annotation;

import io.headgate.spring.annotation.Admission.Denied;
import io.headgate.spring.internal.expression.ReactiveResults;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Calls of methods that return a publisher. Only used if Reactor is present. */
final class PublisherCalls {

    private PublisherCalls() {}

    /** Returns whether a type is one of a reactive library, whose values can be converted. */
    static boolean isPublisher(Class<?> type) {
        ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
        return adapter != null && adapter.getReactiveType() == type;
    }

    /** Returns a publisher each of whose subscriptions is a call: it is decided, and runs the method if it is admitted. */
    static Object publisher(MethodInvocation invocation, LimitedMethod method, Object target, LimitDecider decider) {
        ReactiveAdapter adapter = Objects.requireNonNull(ReactiveAdapterRegistry.getSharedInstance()
                .getAdapter(method.method().getReturnType()));
        return adapter.fromPublisher(
                calls(invocation, method, target, decider, adapter.isMultiValue(), adapter::toPublisher));
    }

    /** Returns the publisher for a suspend function: each subscription is a call. Spring's proxy subscribes to it. */
    static Publisher<Object> suspended(
            MethodInvocation invocation, LimitedMethod method, Object target, LimitDecider decider, boolean flow) {
        return calls(invocation, method, target, decider, flow, PublisherCalls::toPublisher);
    }

    @SuppressWarnings("unchecked")
    private static Publisher<Object> toPublisher(@Nullable Object returned) {
        return returned instanceof Publisher<?> publisher ? (Publisher<Object>) publisher : Mono.justOrEmpty(returned);
    }

    private static Publisher<Object> calls(
            MethodInvocation invocation,
            LimitedMethod method,
            Object target,
            LimitDecider decider,
            boolean multiValue,
            Function<@Nullable Object, Publisher<Object>> conversion) {
        // Now, as the caller may change the array of arguments.
        MethodInvocation call = again(invocation);
        return multiValue
                ? Flux.deferContextual(context -> {
                    Attempt attempt = new Attempt();
                    return admission(call, method, target, decider, attempt, context)
                            .flatMapMany(admission -> result(admission, call, target, conversion, attempt))
                            .doOnTerminate(attempt::end)
                            .doOnCancel(attempt::end);
                })
                : Mono.deferContextual(context -> {
                    Attempt attempt = new Attempt();
                    return admission(call, method, target, decider, attempt, context)
                            .flatMap(admission -> Mono.from(result(admission, call, target, conversion, attempt)))
                            .doOnTerminate(attempt::end)
                            .doOnCancel(attempt::end);
                });
    }

    private static Mono<Admission> admission(
            MethodInvocation call,
            LimitedMethod method,
            Object target,
            LimitDecider decider,
            Attempt attempt,
            ContextView context) {
        CompletableFuture<Admission> decision = decider.decideAsync(
                method, method.call(target, call.getArguments(), ReactiveResults.stages(context)), attempt);
        return decision.isDone()
                ? Mono.fromFuture(decision)
                // The application must not run on the thread of the engine. The attempt ends the wait.
                : Mono.fromFuture(decision, true).publishOn(Schedulers.parallel());
    }

    private static Publisher<Object> result(
            Admission admission,
            MethodInvocation call,
            Object target,
            Function<@Nullable Object, Publisher<Object>> conversion,
            Attempt attempt) {
        Object returned;
        try {
            if (!attempt.start()) {
                return Mono.empty();
            }
            returned = admission instanceof Denied denied
                    ? denied.answer(target, call.getArguments())
                    : again(call).proceed();
        } catch (Throwable e) {
            return Mono.error(e);
        }
        return conversion.apply(returned);
    }

    /** A copy of an invocation, as each can proceed only once. */
    private static MethodInvocation again(MethodInvocation invocation) {
        return invocation instanceof ProxyMethodInvocation proxied ? proxied.invocableClone() : invocation;
    }
}
