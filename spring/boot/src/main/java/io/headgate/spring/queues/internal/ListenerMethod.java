package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A method of a bean that handles jobs. Immutable.
 *
 * @param bean the bean, which may be a proxy
 * @param method the method, which is accessible
 * @param arguments the arguments, in the order of the parameters; for a batch, the element of its list
 * @param manual whether the method settles jobs itself
 * @param stages converts the result of an asynchronous method; empty if the method blocks
 */
record ListenerMethod(
        Object bean,
        Method method,
        List<Argument> arguments,
        boolean manual,
        Optional<Function<Object, CompletionStage<?>>> stages) {

    /** An argument of a method. */
    @FunctionalInterface
    interface Argument {

        /**
         * Returns the value for a job.
         *
         * @throws io.headgate.spring.queues.InvalidPayloadException if the job has no such value
         */
        @Nullable
        Object of(Job<Delivery> job);
    }

    /**
     * Calls the method, and returns its result.
     *
     * @param claimed the claimed job
     * @throws Exception what the method throws
     */
    @Nullable
    Object call(Job<Delivery> claimed) throws Exception {
        Job<Delivery> job = Delivery.received(claimed);
        @Nullable Object[] values = new Object[arguments.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = arguments.get(i).of(job);
        }
        return invoke(values);
    }

    /**
     * Calls the method, and returns its result.
     *
     * @throws Exception what the method throws
     */
    @Nullable
    Object invoke(@Nullable Object... values) throws Exception {
        try {
            return method.invoke(bean, values);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            if (thrown instanceof Exception exception) {
                throw exception;
            }
            if (thrown instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }
}
