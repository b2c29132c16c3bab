package io.headgate.redis.limits;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.LimiterException;
import io.headgate.redis.internal.RedisProblems;
import io.headgate.redis.internal.WithdrawableFuture;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request on its way to Redis: until it is sent it may still be taken back, and then surely nothing is charged. */
final class Ask extends WithdrawableFuture<Decision> {

    private enum Stage {
        WAITING,
        SENT,
        GIVEN_UP
    }

    /** While somebody decides what its caller is told. */
    private static final Object UNDECIDED = new Object();

    private final PolicyPlanner planner;
    private final Attributes attributes;
    private final String[] keys;
    private final long permits;
    private final long askedMicros;
    private final long askedNanos;
    private final Answering answering;

    // Not atomic references: there may be millions of requests a second.
    private static final VarHandle STAGE = field("stage", Stage.class);
    private static final VarHandle TOLD = field("told", Object.class);

    private volatile Stage stage = Stage.WAITING;

    /** What its caller is told: nothing yet, {@link #UNDECIDED}, a decision or a problem. */
    private volatile @Nullable Object told;

    private volatile boolean givenUpByCaller;

    private volatile @Nullable AskId id;

    /** Told when it is taken back; null where it does not wait. */
    private volatile @Nullable Consumer<Ask> line;

    /**
     * A request.
     *
     * @param keys those of each rule
     * @param askedMicros when the caller asked, by the clock of this process, or the time that is given
     * @param askedNanos when, for its deadline
     * @param answering hears of what comes of it, before its caller does
     */
    Ask(
            PolicyPlanner planner,
            Attributes attributes,
            String[] keys,
            long permits,
            long askedMicros,
            long askedNanos,
            Answering answering) {
        this.planner = planner;
        this.attributes = attributes;
        this.keys = keys;
        this.permits = permits;
        this.askedMicros = askedMicros;
        this.askedNanos = askedNanos;
        this.answering = answering;
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
        givenUpByCaller = true;
        if (from != null && giveUp()) {
            from.accept(this);
        }
        return stage == Stage.GIVEN_UP;
    }

    /** Has it an id, before it is sent. */
    void is(AskId given) {
        id = given;
    }

    /** Its id, if it has one. */
    @Nullable
    AskId id() {
        return id;
    }

    /** Takes it to be sent; false when it was given up before. */
    boolean send() {
        return STAGE.compareAndSet(this, Stage.WAITING, Stage.SENT);
    }

    /** Gives it up; false when it was sent before, or is given up already. */
    boolean giveUp() {
        return STAGE.compareAndSet(this, Stage.WAITING, Stage.GIVEN_UP);
    }

    /** Ends it with what came of it: an answer, or a problem. */
    void end(@Nullable Decision decision, @Nullable Throwable problem) {
        if (decision != null) {
            endAll(List.of(this), List.of(identified(decision)));
        } else if (problem != null) {
            endWith(ofThisKey(problem));
        }
    }

    /** A decision that is replayed under the id of its request is one decision. */
    private Decision identified(Decision decision) {
        AskId known = id;
        return known == null || known.isOwn() || decision.charged() == 0
                ? decision
                : decision.chargedOnceAs(known.id());
    }

    /** Ends those who asked for the same; what the last of them was answered is what is known from then on. */
    static void endAll(List<Ask> same, List<Decision> decisions) {
        int last = same.size() - 1;
        // First of all, as whoever is told may ask again at once.
        same.get(last).answering.decided(same.get(last), decisions.get(last));
        for (int i = 0; i <= last; i++) {
            same.get(i).endWith(decisions.get(i), i == last);
        }
    }

    /** Ends it, without an answer. */
    void fail(String problem, boolean mayBeDone) {
        endWith(LimitFailures.INSTANCE.failure("acquire", keys[0], problem, mayBeDone, null));
    }

    /** Ends it with an error of Redis, which charged nothing. */
    void failWith(String error) {
        RuntimeException failure = RedisProblems.ofScript(LimitFailures.INSTANCE, "acquire", keys[0], error);
        if (LimitFailures.isOfKey(failure)) {
            answering.foreign(List.of(keys));
        }
        endWith(failure);
    }

    private void endWith(Decision decision, boolean isNewest) {
        if (TOLD.compareAndSet(this, null, decision)) {
            try {
                answering.answered(this, decision, isNewest);
            } finally {
                // Whatever goes wrong there, the caller is told.
                complete(decision);
            }
        } else if (!TOLD.compareAndSet(this, UNDECIDED, decision) && told instanceof Decision instead) {
            // It may be told twice, where a call is stopped by two at once, and then it is the same.
            late(decision, instead);
        }
    }

    /** As it may end by its answer and by its deadline at once, the first of them says what its caller is told. */
    private void endWith(Throwable problem) {
        if (!TOLD.compareAndSet(this, null, UNDECIDED)) {
            return;
        }
        Decision instead = insteadOf(problem);
        Object meanwhile = TOLD.getAndSet(this, instead == null ? problem : instead);
        if (instead == null) {
            completeExceptionally(answering.failure(problem));
        } else {
            complete(instead);
            if (meanwhile instanceof Decision decision) {
                late(decision, instead);
            }
        }
    }

    /** Whatever goes wrong there, the caller is told something. */
    private @Nullable Decision insteadOf(Throwable problem) {
        try {
            return answering.instead(this, problem);
        } catch (RuntimeException | Error e) {
            problem.addSuppressed(e);
            return null;
        }
    }

    /** Its caller waits no more, for that reason; what he is told then, or was told before. */
    Decision giveUpFor(LimiterException reason) {
        givenUpByCaller = true;
        endWith(reason);
        try {
            return join();
        } catch (CompletionException e) {
            // As where the engine is closed meanwhile.
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
    }

    /** Whether it ended because its caller did not wait, which says nothing of Redis. */
    boolean isGivenUpByCaller() {
        return givenUpByCaller;
    }

    @SuppressWarnings("ReferenceEquality") // whether it is the one that was told
    private void late(Decision decision, Decision instead) {
        if (decision != instead) {
            answering.late(this, decision, instead);
        }
    }

    private static VarHandle field(String name, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(Ask.class, name, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** As a call ended that it was part of. */
    private Throwable ofThisKey(Throwable problem) {
        return problem instanceof LimiterException of
                ? new LimiterException(of.operation(), keys[0], of.problem(), of.mayBeCharged(), of)
                : problem;
    }
}
