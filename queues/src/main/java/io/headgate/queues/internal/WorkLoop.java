package io.headgate.queues.internal;

import io.headgate.queues.QueueException;
import io.headgate.queues.Settled;
import io.headgate.queues.WorkerListener;
import io.headgate.queues.internal.Sayings.Saying;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a worker does between the queue and its handlers: one call at a time, the turn, settles all jobs that were handled
 * since the last one, extends the leases that need it, and claims as many jobs as there is room for. What finishes while a
 * turn is under way goes with the next, so that calls grow with the load instead of their number.
 *
 * <p>Nothing here blocks, but for the end. A turn is made when there is something to say, or when there may be jobs, as {@link
 * NextTurn} says, and there is room. A turn that fails is made again; to settle a job twice does it once.
 *
 * @param <T> what a payload is
 */
final class WorkLoop<T> {

    private final JobSource<T> source;
    private final Duration lease;
    private final Listeners listeners;
    private final Consumer<Held<T>> starter;
    private final Prefetch prefetch;
    private final Alarm alarm = new Alarm(this::wake);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition quiet = lock.newCondition();

    private JobSource.@Nullable Subscription listening;

    // All guarded by the lock.
    private final Hand<T> hand;
    private final Sayings<T> toSay;
    private final NextTurn nextTurn = new NextTurn();
    private final LeftAlone leftAlone = new LeftAlone();
    private List<Consumer<WorkerListener>> news = new ArrayList<>();
    private boolean inTurn;
    private boolean ending;
    private boolean abandoned;

    /** A turn that is under way. */
    private record Sent<T>(long nanos, int most, Set<Integer> notClaimedOf, List<Saying<T>> said) {}

    WorkLoop(JobSource<T> source, int concurrency, Duration lease, Listeners listeners, Consumer<Held<T>> starter) {
        this.source = source;
        this.lease = lease;
        this.listeners = listeners;
        this.starter = starter;
        this.hand = new Hand<>(concurrency, lease.toNanos());
        this.prefetch = new Prefetch(concurrency, System.nanoTime());
        this.toSay = new Sayings<>(lease);
    }

    /**
     * Looks for jobs from now on.
     *
     * @throws RuntimeException when the queue can't be listened to; then nothing was begun
     */
    void begin() {
        listening = source.subscribe(this::signal);
        alarm.begin();
        step();
    }

    private void wake() {
        lock.lock();
        try {
            alarm.rang();
        } finally {
            lock.unlock();
        }
        step();
    }

    private void signal() {
        lock.lock();
        try {
            nextTurn.signalled();
        } finally {
            lock.unlock();
        }
        step();
    }

    /** What came of a job that was handled; returns the next one for the same thread, if there is one. */
    @Nullable
    Held<T> finished(Held<T> held, Outcome outcome) {
        Held<T> next;
        boolean settles;
        lock.lock();
        try {
            settles = !held.settled;
            say(held, outcome);
            prefetch.handled(1);
            hand.ended();
            next = ending ? null : startable(hand.next());
            quiet.signalAll();
        } finally {
            lock.unlock();
        }
        if (settles) {
            outcome.log().run();
        }
        goOn();
        return next;
    }

    private void say(Held<T> held, Outcome outcome) {
        if (!held.settled) {
            hand.drop(held);
            toSay.add(held, outcome);
        }
    }

    /** The job, or the next one, if its lease still holds; one whose lease may have expired is nobody's to begin. */
    private @Nullable Held<T> startable(@Nullable Held<T> first) {
        Held<T> next = first;
        while (next != null && next.expiresAtNanos - System.nanoTime() <= 0) {
            lose(next);
            next = hand.next();
        }
        if (next != null) {
            hand.began(next);
        }
        return next;
    }

    private void lose(Held<T> held) {
        hand.drop(held);
        news.add(listener -> listener.onLeaseLost(held.work.id()));
    }

    /** Tells what has happened, and goes on; without the lock, since listeners may take their time. */
    private void goOn() {
        List<Consumer<WorkerListener>> told;
        lock.lock();
        try {
            told = news;
            news = new ArrayList<>();
        } finally {
            lock.unlock();
        }
        told.forEach(listeners::tell);
        step();
    }

    /** Makes a turn if there is reason to, else sees to it that there will be one in time. */
    private void step() {
        Sent<T> sent;
        long now = System.nanoTime();
        lock.lock();
        try {
            if (inTurn) {
                return;
            }
            if (leftAlone.ends(now)) {
                nextTurn.signalled();
            }
            Set<Integer> alone = leftAlone.shards();
            // A shard hears what came of its jobs before it is asked for more: it might hand out jobs for ever that are
            // never done.
            Set<Integer> notClaimedOf = toSay.unheardAnd(alone);
            boolean paused = nextTurn.pauses(now);
            int most = paused ? 0 : room(now);
            List<Saying<T>> said = paused ? List.of() : toSay.next(hand, alone, now);
            if (most == 0 && said.isEmpty()) {
                long at = nextTurn.at(now);
                // A lease that is due in a pause waits for its end: to be woken for it sooner would be for nothing,
                // again and again.
                alarm.setTo(paused ? at : leftAlone.endOr(hand.firstRenewal(at, alone)), now);
                return;
            }
            inTurn = true;
            if (most > 0) {
                nextTurn.claims();
            }
            sent = new Sent<>(now, most, notClaimedOf, said);
        } finally {
            lock.unlock();
        }
        List<Settlement> settling = sent.said().stream().map(Saying::settling).toList();
        try {
            source.poll(sent.most(), sent.notClaimedOf(), lease, settling)
                    .whenComplete((result, problem) -> landed(sent, result, problem));
        } catch (RuntimeException | Error e) {
            landed(sent, null, e);
        }
    }

    private int room(long now) {
        boolean asks = !ending && nextTurn.mayBeMore(now);
        return asks ? Math.min(JobBounds.MAX_BATCH, hand.room(prefetch.target(now))) : 0;
    }

    private void landed(Sent<T> sent, @Nullable PollResult<T> result, @Nullable Throwable problem) {
        List<Held<T>> starting = new ArrayList<>();
        lock.lock();
        try {
            inTurn = false;
            if (result == null) {
                news.add(listener -> listener.onTrouble(QueueTroubles.of(problem)));
                toSay.again(sent.said());
                nextTurn.failed();
            } else {
                result.failure().ifPresent(this::noteTrouble);
                leftAlone.failed(result.failedShards(), sent.nanos(), System.nanoTime());
                toSay.again(result.unsettled().stream()
                        .sorted()
                        .map(sent.said()::get)
                        .toList());
                note(sent, result);
                take(sent, result);
                nextTurn.succeeded();
                if (!toSay.unheardAnd(leftAlone.shards()).containsAll(sent.notClaimedOf())) {
                    // A shard that has heard all may have more.
                    nextTurn.signalled();
                }
            }
            boolean nothingElse = toSay.isEmptyBut(leftAlone.shards());
            for (Held<T> next = toStart(nothingElse); next != null; next = toStart(nothingElse)) {
                starting.add(next);
            }
            quiet.signalAll();
        } finally {
            lock.unlock();
        }
        starting.forEach(starter);
        goOn();
    }

    private @Nullable Held<T> toStart(boolean nothingElse) {
        return ending ? null : startable(hand.nextToStart(nothingElse));
    }

    private void noteTrouble(QueueException trouble) {
        news.add(listener -> listener.onTrouble(trouble));
    }

    private void note(Sent<T> sent, PollResult<T> result) {
        QueueException ofNoJob = null;
        for (int i = 0; i < sent.said().size(); i++) {
            Held<T> held = sent.said().get(i).held();
            Outcome outcome = sent.said().get(i).outcome();
            if (result.unsettled().contains(i)) {
                continue;
            }
            QueueException doubt = result.unconfirmed().get(i);
            if (result.settled().get(i) == Settled.LEASE_LOST) {
                if (outcome != null || !held.settled) {
                    lose(held);
                }
            } else if (outcome == null) {
                hand.renewed(held, sent.nanos());
                ofNoJob = doubt == null ? ofNoJob : doubt;
            } else {
                noteOutcome(outcome, doubt);
                ofNoJob = doubt == null || outcome.job().isPresent() ? ofNoJob : doubt;
            }
        }
        if (ofNoJob != null) {
            noteTrouble(ofNoJob);
        }
    }

    /** What is in doubt is done; where it is lost after all, the job is handed out once more. */
    private void noteOutcome(Outcome outcome, @Nullable QueueException doubt) {
        if (doubt != null) {
            outcome.job().ifPresent(job -> news.add(listener -> listener.onUnconfirmed(job, doubt)));
        }
        if (doubt == null || !outcome.isSafe()) {
            news.add(outcome.heard());
        }
    }

    private void take(Sent<T> sent, PollResult<T> result) {
        if (sent.most() > 0) {
            nextTurn.claimed(result.moreInMicros());
        }
        for (ClaimedJob<T> work : result.claimed()) {
            Held<T> held = new Held<>(work);
            if (ending || !hand.take(held, sent.nanos())) {
                say(held, handedBack(held));
            }
        }
    }

    private Outcome handedBack(Held<T> held) {
        return new Outcome(
                held.work.handBackSettlement(Duration.ZERO), listener -> listener.onHandedBack(held.work.id()));
    }

    /**
     * Claims nothing more, hands back what was not begun, waits for what was, and hands that back too when the time is up.
     *
     * @param impatience called when the time is up and there are handlers that have not returned
     */
    void end(Duration atMost, Runnable impatience) {
        long deadline = System.nanoTime() + atMost.toNanos();
        handBackTheBuffer();
        awaitQuiet(deadline);
        if (handBackTheRest()) {
            impatience.run();
        }
        awaitQuiet(System.nanoTime() + NextTurn.LONGEST_WAIT_NANOS);
        if (listening != null) {
            listening.close();
        }
        alarm.end();
    }

    private void handBackTheBuffer() {
        lock.lock();
        try {
            ending = true;
            leftAlone.end();
            hand.notBegun().forEach(held -> say(held, handedBack(held)));
        } finally {
            lock.unlock();
        }
        goOn();
    }

    private boolean handBackTheRest() {
        boolean any;
        lock.lock();
        try {
            leftAlone.end();
            List<Held<T>> rest = hand.all();
            any = !rest.isEmpty();
            rest.forEach(held -> say(held, handedBack(held)));
            abandoned = true;
        } finally {
            lock.unlock();
        }
        goOn();
        return any;
    }

    private void awaitQuiet(long deadlineNanos) {
        lock.lock();
        try {
            long left = deadlineNanos - System.nanoTime();
            while ((!(abandoned || hand.isIdle()) || inTurn || !toSay.isEmpty()) && left > 0) {
                left = quiet.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }
}
