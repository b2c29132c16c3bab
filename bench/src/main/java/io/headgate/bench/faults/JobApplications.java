package io.headgate.bench.faults;

import io.headgate.bench.faults.JobApplication.JobProducer;
import io.headgate.queues.JobQueue;
import io.headgate.queues.QueueException;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.inspect.StoredJob;
import io.headgate.queues.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** Two applications that use one queue, and the jobs that remain in it at the end. */
final class JobApplications implements AutoCloseable {

    private static final int APPLICATIONS = 2;
    private static final int PAGE = 500;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);

    /** Jobs that are due later were delayed by a clock that jumped, and are not awaited. */
    private static final Duration SOON = Duration.ofMinutes(1);

    private final JobHistory history = new JobHistory();
    private final List<JobApplication> applications = new ArrayList<>();
    private final List<Worker> workers = new ArrayList<>();

    private JobApplications() {}

    /** Starts the applications, with this lease of their jobs. */
    static JobApplications open(String url, QueueSettings settings, Duration lease) {
        JobApplications started = new JobApplications();
        try {
            for (int i = 0; i < APPLICATIONS; i++) {
                JobApplication one = JobApplication.open("" + i, url, settings, lease, started.history);
                started.applications.add(one);
                started.workers.add(one.work());
            }
            started.applications.forEach(JobApplication::produce);
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    JobHistory history() {
        return history;
    }

    /** How many enqueues threw an exception; call it after {@link #drain}. */
    long notAnswered() {
        return producers().mapToLong(JobProducer::notAnswered).sum();
    }

    /** The longest time of an enqueue; call it after {@link #drain}. */
    double slowestMillis() {
        return producers().mapToDouble(JobProducer::slowestMillis).max().orElse(0);
    }

    private Stream<JobProducer> producers() {
        return applications.stream().flatMap(one -> one.producers().stream());
    }

    /** Waits until every application {@linkplain JobApplication#hasRecoveredSince has recovered}; returns false after a timeout. */
    boolean awaitRecoverySince(long then, Duration atMost) {
        return await(atMost, () -> applications.stream().allMatch(one -> one.hasRecoveredSince(then)));
    }

    /** Stops the producers, waits until no job is left to handle, and closes the workers. Returns false after a timeout. */
    boolean drain(Duration atMost) {
        applications.forEach(JobApplication::stopProducing);
        boolean drained = await(atMost, this::isDrained);
        closeWorkers();
        return drained;
    }

    private boolean isDrained() {
        try {
            QueueCounts counts = queue().counts();
            return counts.ready() + counts.leased() == 0 && (counts.delayed() == 0 || noneIsDueSoon());
        } catch (QueueException e) {
            return false;
        }
    }

    private boolean noneIsDueSoon() {
        Instant soon = Instant.now().plus(SOON);
        return stored(JobState.Kind.DELAYED).noneMatch(one -> one.job().dueAt().isBefore(soon));
    }

    /** The jobs in the queue, in any state. */
    Set<String> storedJobs() {
        Set<String> left = new HashSet<>();
        Stream.of(JobState.Kind.values())
                .flatMap(this::stored)
                .forEach(one -> left.add(one.job().payload()));
        return left;
    }

    private Stream<StoredJob<String>> stored(JobState.Kind kind) {
        List<StoredJob<String>> all = new ArrayList<>();
        for (Cursor from = Cursor.START; ; ) {
            Page<StoredJob<String>> page = queue().jobs(kind, from, PAGE);
            all.addAll(page.items());
            if (page.next().isEmpty()) {
                return all.stream();
            }
            from = page.next().get();
        }
    }

    private JobQueue<String> queue() {
        return applications.get(0).queue();
    }

    private static boolean await(Duration atMost, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > atMost.toNanos()) {
                return false;
            }
            LockSupport.parkNanos(POLL_INTERVAL.toNanos());
        }
        return true;
    }

    private void closeWorkers() {
        workers.forEach(worker -> worker.close(Duration.ZERO));
        workers.clear();
    }

    @Override
    public void close() {
        applications.forEach(JobApplication::stopProducing);
        closeWorkers();
        applications.forEach(JobApplication::close);
    }
}
