package io.headgate.spring.annotation;

import io.headgate.spring.annotation.Admission.Admitted;
import io.headgate.spring.annotation.Admission.Denied;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.util.function.SingletonSupplier;

/** Decides calls of methods with limits, and runs the admitted ones. Safe for use by any number of threads. */
final class LimitInterceptor implements MethodInterceptor {

    private final Supplier<LimitedMethods> methods;
    private final Supplier<LimitDecider> decider;
    private final Supplier<Executor> executor;

    /**
     * Creates an interceptor. It asks for nothing before the first call, because proxies are created before most beans.
     *
     * @param executor runs methods that return a stage if their decision is not immediate
     */
    LimitInterceptor(Supplier<LimitedMethods> methods, Supplier<LimitDecider> decider, Supplier<Executor> executor) {
        this.methods = SingletonSupplier.of(methods);
        this.decider = SingletonSupplier.of(decider);
        this.executor = SingletonSupplier.of(executor);
    }

    @Override
    public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
        Object target = invocation.getThis();
        LimitedMethod method = target == null ? null : methods.get().find(invocation.getMethod(), target.getClass());
        if (target == null || method == null) {
            return invocation.proceed();
        }
        return switch (method.result()) {
            case VALUE -> value(invocation, method, target);
            case STAGE -> stage(invocation, method, target);
            case PUBLISHER -> PublisherCalls.publisher(invocation, method, target, decider.get());
            case SUSPENDED -> PublisherCalls.suspended(invocation, method, target, decider.get(), false);
            case SUSPENDED_FLOW -> PublisherCalls.suspended(invocation, method, target, decider.get(), true);
        };
    }

    private @Nullable Object value(MethodInvocation invocation, LimitedMethod method, Object target) throws Throwable {
        Admission admission = decider.get().decide(method, method.call(target, invocation.getArguments()));
        if (admission instanceof Denied denied) {
            return denied.answer(target, invocation.getArguments());
        }
        Admitted admitted = (Admitted) admission;
        try {
            return invocation.proceed();
        } finally {
            admitted.release();
        }
    }

    private @Nullable Object stage(MethodInvocation invocation, LimitedMethod method, Object target) {
        Attempt attempt = new Attempt();
        CompletableFuture<Admission> decision =
                decider.get().decideAsync(method, method.call(target, invocation.getArguments()), attempt);
        CompletableFuture<Object> result = new CompletableFuture<>();
        // The caller may complete or cancel the result. A method that runs keeps its permits until it ends.
        result.whenComplete((value, failure) -> attempt.endUnlessRunning());
        if (decision.isDone()) {
            proceed(decision.join(), invocation, target, attempt, result);
        } else {
            // The application must not run on the thread of the engine.
            decision.thenAcceptAsync(
                            admission -> proceed(admission, invocation, target, attempt, result),
                            task -> executor.get().execute(task))
                    .whenComplete((nothing, failure) -> {
                        if (failure != null) {
                            // Before the caller sees the failure.
                            attempt.endUnlessRunning();
                            result.completeExceptionally(cause(failure));
                        }
                    });
        }
        return result;
    }

    private static void proceed(
            Admission admission,
            MethodInvocation invocation,
            Object target,
            Attempt attempt,
            CompletableFuture<Object> result) {
        Object returned;
        try {
            if (!attempt.start()) {
                return;
            }
            returned = admission instanceof Denied denied
                    ? denied.answer(target, invocation.getArguments())
                    : invocation.proceed();
        } catch (Throwable e) {
            attempt.end();
            result.completeExceptionally(e);
            return;
        }
        if (!(returned instanceof CompletionStage<?> stage)) {
            attempt.end();
            result.complete(returned);
            return;
        }
        stage.whenComplete((value, failure) -> {
            attempt.end();
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(cause(failure));
            }
        });
        result.whenComplete((value, failure) -> {
            if (result.isCancelled()) {
                stage.toCompletableFuture().cancel(true);
            }
        });
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
