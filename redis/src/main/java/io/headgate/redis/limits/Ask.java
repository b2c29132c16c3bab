package io.headgate.redis.limits;

import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.redis.internal.RedisProblems;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** One request on its way to Redis: until it is sent it may still be taken back, and then surely nothing is charged. */
final class Ask extends CompletableFuture<Decision> {

    private enum Stage {
        WAITING,
        SENT,
        GIVEN_UP
    }

    private final PolicyPlanner planner;
    private final String[] keys;
    private final long permits;
    private final long atMicros;
    private final long askedNanos;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);

    /**
     * A request.
     *
     * @param keys those of each rule
     * @param atMicros the time that it is decided at, where that is given
     * @param askedNanos when the caller asked, by the clock of this process
     */
    Ask(PolicyPlanner planner, String[] keys, long permits, long atMicros, long askedNanos) {
        this.planner = planner;
        this.keys = keys;
        this.permits = permits;
        this.atMicros = atMicros;
        this.askedNanos = askedNanos;
    }

    /** Decides it, by the version of the policy that there was when it was asked. */
    PolicyPlanner planner() {
        return planner;
    }

    String[] keys() {
        return keys;
    }

    long permits() {
        return permits;
    }

    long atMicros() {
        return atMicros;
    }

    long askedNanos() {
        return askedNanos;
    }

    /** Takes it to be sent; false when it was given up before. */
    boolean send() {
        return stage.compareAndSet(Stage.WAITING, Stage.SENT);
    }

    boolean isSent() {
        return stage.get() == Stage.SENT;
    }

    /** Gives it up; false when it was sent before, or is given up already. */
    boolean giveUp() {
        return stage.compareAndSet(Stage.WAITING, Stage.GIVEN_UP);
    }

    /** Ends it, without an answer. */
    void fail(String problem, boolean mayBeDone) {
        completeExceptionally(LimitFailures.INSTANCE.failure("acquire", keys[0], problem, mayBeDone, null));
    }

    /** Ends it with an error of Redis, which charged nothing. */
    void failWith(String error) {
        completeExceptionally(RedisProblems.ofScript(LimitFailures.INSTANCE, "acquire", keys[0], error));
    }

    /** Ends it as a call ended that it was part of. */
    void failWith(Throwable problem) {
        completeExceptionally(
                problem instanceof LimiterException of
                        ? new LimiterException(of.operation(), keys[0], of.problem(), of.mayBeCharged(), of)
                        : problem);
    }
}
