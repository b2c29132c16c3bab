package io.headgate.spring.queues.internal;

import io.headgate.queues.Job;
import io.headgate.queues.worker.AsyncHandler;
import io.headgate.queues.worker.Handler;
import io.micrometer.observation.Observation;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Calls a listener for a job, and determines from its result how the job is settled. */
final class ListenerCall {

    private final ListenerSpec spec;
    private final ListenerMethod method;
    private final JobObservations observations;

    ListenerCall(ListenerSpec spec, JobObservations observations) {
        this.spec = spec;
        this.method = spec.method();
        this.observations = observations;
    }

    /** Returns a handler of a worker that calls a blocking method. */
    Handler<Delivery> blocking() {
        return job -> {
            Observation observation = observation(job).start();
            Throwable failure = null;
            try (Observation.Scope scope = observation.openScope()) {
                method.call(job);
                settle(job);
                await(job.payload().settleDeadLetter());
            } catch (Throwable e) {
                failure = e;
                job.payload().ignoreDecision(e);
                throw e;
            } finally {
                JobObservations.stop(observation, failure);
            }
        };
    }

    /** Returns a handler of a worker that calls an asynchronous method. */
    AsyncHandler<Delivery> async(Function<Object, CompletionStage<?>> stages) {
        return job -> {
            Observation observation = observation(job).start();
            CompletionStage<?> stage;
            try (Observation.Scope scope = observation.openScope()) {
                Object result = method.call(job);
                if (result == null) {
                    throw new IllegalStateException("the listener returned null instead of a stage or publisher");
                }
                stage = stages.apply(result);
            } catch (Throwable e) {
                ended(job, observation, e);
                throw e;
            }
            return stage.thenCompose(done -> {
                        settle(job);
                        return job.payload().settleDeadLetter();
                    })
                    .whenComplete((done, failure) -> ended(job, observation, failure));
        };
    }

    /** Waits for a call to Redis, which has a timeout, on the thread of the listener. Meanwhile, the worker renews the lease. */
    private static void await(CompletionStage<?> call) throws Exception {
        try {
            call.toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Returns an observation of a call with several jobs. */
    Observation observation() {
        return observations.processing(spec.destination(), spec.group(), Optional.empty(), Map.of());
    }

    private Observation observation(Job<Delivery> job) {
        Job<Delivery> received = Delivery.received(job);
        return observations.processing(
                spec.destination(), spec.group(), Optional.of(received.id()), received.headers());
    }

    private static void ended(Job<Delivery> job, Observation observation, @Nullable Throwable failure) {
        if (failure != null) {
            job.payload().ignoreDecision(failure);
        }
        JobObservations.stop(observation, failure);
    }

    /** Turns the decision of a listener into a failure, unless it is settled by {@link ListenerSource}. */
    void settle(Job<Delivery> job) {
        Delivery.@Nullable Decision decision = job.payload().close().orElse(null);
        if (!method.manual()) {
            return;
        }
        if (decision == null) {
            throw new IllegalStateException("the listener returned without settling the job");
        }
        if (decision instanceof Delivery.MoveToDeadLetters dead) {
            throw new Delivery.SettledFailure(dead.cause(), true);
        }
        if (decision instanceof Delivery.Retry retry
                && job.attempt() >= spec.retries().attempts()) {
            throw new Delivery.SettledFailure(retry.cause(), false);
        }
    }
}
