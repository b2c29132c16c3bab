package io.headgate.spring.queues.internal.deadletters;

import io.headgate.queues.AsyncDeadLetters;
import io.headgate.queues.DeadLetter;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.worker.ClaimedJob;
import io.headgate.queues.worker.JobSource;
import io.headgate.queues.worker.PollRequest;
import io.headgate.queues.worker.PollResult;
import io.headgate.queues.worker.Settlement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * A source of dead letters for a worker. Dead letters have no leases. So a poll enqueues a notification for each dead letter into a queue
 * of its own, and claims from there: several processes share the work, and one takes over when another dies. The key of a notification
 * rejects a second one for the same dead letter.
 *
 * <p>The dead letters themselves decide: a notification without its dead letter is acknowledged, and a dead letter without a notification
 * gets one from the next scan. So it does not matter where a process dies, or whether Redis loses a notification.
 */
public final class DeadLetterSource implements JobSource<byte[]> {

    /** The longest name of a queue, or of a stream and its group together, that leaves room for the name of notifications. */
    public static final int LONGEST_NAME = 49;

    private static final Log LOG = LogFactory.getLog("io.headgate.spring");

    private static final String SEPARATOR = "..";
    private static final int MAX_CLAIMED = 100;

    /** The expired leases after which a dead letter is kept, as it probably kills the processes that handle it. */
    private static final int MAX_CRASHES = 5;

    /** For very short leases, which expire often anyway. */
    private static final long MIN_FIND_MILLIS = 100;

    private static final Duration WAIT_AFTER_FAILURE = Duration.ofSeconds(1);

    private final String name;
    private final AsyncDeadLetters<byte[]> deadLetters;
    private final JobSource<byte[]> notifications;
    private final DeadLetterScan scan;
    private volatile Runnable signal = () -> {};

    /**
     * Creates a source.
     *
     * @param name the name for messages
     * @param deadLetters the dead letters
     * @param notifications the queue of their notifications, which has nothing else
     */
    public DeadLetterSource(String name, AsyncDeadLetters<byte[]> deadLetters, JobQueue<byte[]> notifications) {
        this.name = name;
        this.deadLetters = deadLetters;
        this.notifications = notifications.source();
        this.scan = new DeadLetterScan(name, deadLetters, notifications.async(), () -> signal.run(), System::nanoTime);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Duration defaultLease() {
        return notifications.defaultLease();
    }

    @Override
    public Duration maxLease() {
        return notifications.maxLease();
    }

    @Override
    public Subscription subscribe(Runnable onSignal) {
        signal = onSignal;
        return notifications.subscribe(onSignal);
    }

    @Override
    public CompletionStage<PollResult<byte[]>> poll(PollRequest request) {
        if (request.max() == 0) {
            return notifications.poll(request);
        }
        // The poll does not wait for it, as leases have to be renewed.
        scan.startIfDue();
        return notifications
                .poll(request.withMax(Math.min(MAX_CLAIMED, request.max())))
                .thenCompose(result -> delivered(result, request.lease(), scan.takeFailure()));
    }

    /** A claimed notification: the dead letter to deliver, or how to settle it without calling the listener. */
    private record Resolved(Optional<ClaimedJob<byte[]>> deadLetter, Optional<Settlement> settlement) {

        static Resolved settled(Settlement settlement) {
            return new Resolved(Optional.empty(), Optional.of(settlement));
        }
    }

    private CompletionStage<PollResult<byte[]>> delivered(
            PollResult<byte[]> result, Duration lease, Optional<QueueException> scanFailure) {
        long next = Math.min(result.moreInMicros(), scan.nextInMicros());
        // Renewals wait for this poll, and are due after a third of the lease.
        long atMostMillis = Math.max(MIN_FIND_MILLIS, lease.toMillis() / 3);
        List<CompletableFuture<Resolved>> finds = result.claimed().stream()
                .map(claimed -> resolve(claimed, atMostMillis))
                .toList();
        return all(finds).thenCompose(resolved -> {
            List<ClaimedJob<byte[]>> delivered = new ArrayList<>();
            List<Settlement> settlements = new ArrayList<>();
            for (Resolved one : resolved) {
                one.deadLetter().ifPresent(delivered::add);
                one.settlement().ifPresent(settlements::add);
            }
            PollResult<byte[]> claimed = result.withClaim(delivered, next, scanFailure);
            return settlements.isEmpty()
                    ? CompletableFuture.completedFuture(claimed)
                    // If this fails, the leases of these notifications expire.
                    : notifications.poll(new PollRequest(0, lease, settlements)).handle((done, failure) -> claimed);
        });
    }

    private CompletableFuture<Resolved> resolve(ClaimedJob<byte[]> claimed, long atMostMillis) {
        Optional<Notification> read = Notification.of(claimed.job().payload());
        if (read.isEmpty()) {
            return CompletableFuture.completedFuture(
                    Resolved.settled(claimed.deadLetterSettlement("is no notification of a dead letter")));
        }
        return deadLetters
                .find(read.get().id(), read.get().diedAt())
                .thenApply(found -> found.map(dead -> resolve(claimed, dead))
                        .orElseGet(() -> Resolved.settled(claimed.ackSettlement())))
                .toCompletableFuture()
                .orTimeout(atMostMillis, TimeUnit.MILLISECONDS)
                .exceptionally(failure -> Resolved.settled(claimed.handBackSettlement(WAIT_AFTER_FAILURE)));
    }

    private Resolved resolve(ClaimedJob<byte[]> claimed, DeadLetter<byte[]> dead) {
        if (claimed.job().causes().contains(ClaimedDeadLetter.KEPT)) {
            return Resolved.settled(claimed.handBackSettlement(ClaimedDeadLetter.CHECK_OF_KEPT));
        }
        ClaimedDeadLetter delivered = new ClaimedDeadLetter(claimed, dead, deadLetters);
        if (claimed.crashes() >= MAX_CRASHES) {
            LOG.warn("The job " + dead.job().id() + " of the " + name + " is kept: " + claimed.crashes()
                    + " processes died or lost its lease while their listeners handled it");
            return Resolved.settled(delivered.keepSettlement());
        }
        return new Resolved(Optional.of(delivered), Optional.empty());
    }

    private static <E> CompletionStage<List<E>> all(List<CompletableFuture<E>> stages) {
        return CompletableFuture.allOf(stages.toArray(new CompletableFuture<?>[0]))
                .thenApply(done -> stages.stream().map(CompletableFuture::join).toList());
    }

    /** Whether another queue or group may have a queue of notifications of the same name, as the names contain the separator. */
    public static boolean isAmbiguous(String source, Optional<String> group) {
        // "a...b" is the group ".b" of "a", or the group "b" of "a."; lastIndexOf finds the second of three dots.
        String name = group.map(of -> source + SEPARATOR + of).orElse(SEPARATOR + source);
        return name.indexOf(SEPARATOR) != name.lastIndexOf(SEPARATOR);
    }

    /** Returns the name of the queue of notifications for a queue. */
    public static String notificationsOf(String queue) {
        return queue + ".dead-letters";
    }

    /** Returns the name of the queue of notifications for a group. */
    public static String notificationsOf(String stream, String group) {
        return notificationsOf(stream + SEPARATOR + group);
    }
}
