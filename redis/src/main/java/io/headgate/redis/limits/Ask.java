package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.limits.internal.Causes;
import io.headgate.limits.internal.DecisionListeners;
import io.headgate.redis.internal.RedisProblems;
import io.headgate.redis.internal.WithdrawableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request on its way to Redis: until it is sent it may still be taken back, and then surely nothing is charged. */
final class Ask extends WithdrawableFuture<Decision> {

    private enum Stage {
        WAITING,
        SENT,
        GIVEN_UP
    }

    private final PolicyPlanner planner;
    private final Attributes attributes;
    private final String[] keys;
    private final long permits;
    private final long askedMicros;
    private final long askedNanos;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);

    /** Who is still to hear of what comes of it; null where nobody ever is. */
    private final @Nullable AtomicReference<@Nullable DecisionListeners> hearing;

    /** Told when it is taken back; null where it does not wait. */
    private volatile @Nullable Consumer<Ask> line;

    /**
     * A request.
     *
     * @param keys those of each rule
     * @param askedMicros when the caller asked, by the clock of this process, or the time that is given
     * @param askedNanos when, for its deadline
     * @param listeners hear of what comes of it, before its caller does
     */
    Ask(
            PolicyPlanner planner,
            Attributes attributes,
            String[] keys,
            long permits,
            long askedMicros,
            long askedNanos,
            DecisionListeners listeners) {
        this.planner = planner;
        this.attributes = attributes;
        this.keys = keys;
        this.permits = permits;
        this.askedMicros = askedMicros;
        this.askedNanos = askedNanos;
        this.hearing = listeners.isEmpty() ? null : new AtomicReference<>(listeners);
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

    Attributes attributes() {
        return attributes;
    }

    long askedMicros() {
        return askedMicros;
    }

    long askedNanos() {
        return askedNanos;
    }

    /** Has it wait to be sent in a line, which is told when its caller takes it back. */
    void waitIn(Consumer<Ask> takenBack) {
        line = takenBack;
    }

    /** Takes it back; whether it was not sent, and so never is. */
    @Override
    public boolean withdraw() {
        Consumer<Ask> from = line;
        if (from != null && giveUp()) {
            from.accept(this);
        }
        return stage.get() == Stage.GIVEN_UP;
    }

    /** Takes it to be sent; false when it was given up before. */
    boolean send() {
        return stage.compareAndSet(Stage.WAITING, Stage.SENT);
    }

    /** Gives it up; false when it was sent before, or is given up already. */
    boolean giveUp() {
        return stage.compareAndSet(Stage.WAITING, Stage.GIVEN_UP);
    }

    /** Ends it with what came of it: an answer, or a problem. */
    void end(@Nullable Decision decision, @Nullable Throwable problem) {
        if (decision != null) {
            planner.denials().learn(this, decision);
            DecisionListeners listeners = takeHearing();
            if (listeners != null) {
                listeners.onDecision(planner.policy(), attributes, permits, decision);
            }
            complete(decision);
        } else if (problem != null) {
            endWith(ofThisKey(problem));
        }
    }

    /** Ends it, without an answer. */
    void fail(String problem, boolean mayBeDone) {
        endWith(LimitFailures.INSTANCE.failure("acquire", keys[0], problem, mayBeDone, null));
    }

    /** Ends it with an error of Redis, which charged nothing. */
    void failWith(String error) {
        endWith(RedisProblems.ofScript(LimitFailures.INSTANCE, "acquire", keys[0], error));
    }

    private void endWith(Throwable problem) {
        DecisionListeners listeners = takeHearing();
        if (listeners != null && Causes.of(problem) instanceof LimiterException failure) {
            listeners.onFailure(planner.policy(), attributes, permits, failure);
        }
        completeExceptionally(problem);
    }

    /** As a call ended that it was part of. */
    private Throwable ofThisKey(Throwable problem) {
        return problem instanceof LimiterException of
                ? new LimiterException(of.operation(), keys[0], of.problem(), of.mayBeCharged(), of)
                : problem;
    }

    /** Who is to hear of what came of it; null the second time, as it may end by its answer and by its deadline at once. */
    private @Nullable DecisionListeners takeHearing() {
        return hearing == null ? null : hearing.getAndSet(null);
    }
}
