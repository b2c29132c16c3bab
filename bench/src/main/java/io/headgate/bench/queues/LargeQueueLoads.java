package io.headgate.bench.queues;

import io.headgate.queues.Enqueued;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.queues.JobQueue;
import io.headgate.queues.Lease;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueSettings;
import io.headgate.queues.worker.RetryPolicy;
import io.headgate.queues.worker.Worker;
import io.headgate.queues.worker.WorkerListener;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;

/** The loads on large queues. */
final class LargeQueueLoads {

    static final QueueSettings SETTINGS =
            QueueSettings.of("large").withMaxJobs(1_000_000_000).withMaxPayloadBytes(256 << 10);

    private static final int BATCH = 500;
    private static final int DELAYED_BATCH = 200;
    private static final int IN_FLIGHT = 4;
    private static final int SAMPLES = 200;
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final int TIMEOUT_SECONDS = 600;

    private LargeQueueLoads() {}

    /** All loads; the largest one has {@code most} jobs. */
    static List<LargeQueueLoad> all(int most) {
        return List.of(
                new LargeQueueLoad("ready", queue -> ready(queue, most / 10)),
                new LargeQueueLoad("due-at-once", queue -> dueAtOnce(queue, most / 20)),
                new LargeQueueLoad("expired", queue -> expired(queue, most / 1000)),
                new LargeQueueLoad("payloads", queue -> payloads(queue, Math.max(5, most / 50_000))),
                // The largest is last, as Redis afterwards releases memory for some time.
                new LargeQueueLoad("delayed", queue -> delayed(queue, most)));
    }

    /** Jobs are delayed for an hour or more while others are processed, and some are rescheduled and cancelled. */
    private static long delayed(JobQueue<byte[]> queue, int jobs) {
        List<JobId> some = fill(queue, jobs, DELAYED_BATCH, i -> NewJob.of(payload(100))
                .after(Duration.ofHours(1)
                        .plusMillis(ThreadLocalRandom.current().nextLong(3_600_000))));
        processSome(queue);
        some.forEach(id -> require(queue.reschedule(id, Duration.ofHours(3))));
        some.forEach(id -> require(queue.cancel(id)));
        queue.counts();
        return jobs;
    }

    /** All jobs are ready in one long list, and some are cancelled or replaced. */
    private static long ready(JobQueue<byte[]> queue, int jobs) {
        List<JobId> some = fill(queue, jobs, BATCH, i -> NewJob.of(payload(100)));
        some.forEach(id -> require(queue.cancel(id)));
        for (int i = 0; i < SAMPLES; i++) {
            queue.enqueue(NewJob.of(payload(100)).replacing("key" + i % 10));
        }
        processSome(queue);
        queue.counts();
        handle(queue, jobs - some.size());
        return jobs;
    }

    /** All jobs become due within one second, and a worker handles them; the first attempt of about every tenth fails. */
    private static long dueAtOnce(JobQueue<byte[]> queue, int jobs) {
        // Late enough for all jobs to be enqueued before.
        long due = System.currentTimeMillis() + 2_000 + jobs / 100;
        fill(queue, jobs, DELAYED_BATCH, i -> NewJob.of(payload(100))
                .at(java.time.Instant.ofEpochMilli(
                        due + ThreadLocalRandom.current().nextInt(1000))));
        handle(queue, jobs);
        return jobs;
    }

    /** Many jobs are claimed, and all their leases expire. */
    private static long expired(JobQueue<byte[]> queue, int jobs) {
        fill(queue, jobs, BATCH, i -> NewJob.of(payload(100)));
        int claimed = 0;
        while (claimed < jobs) {
            claimed += queue.claim(BATCH, Duration.ofSeconds(1)).size();
        }
        handle(queue, jobs);
        return jobs;
    }

    /** Jobs have payloads of 1 KiB up to the maximum, which are enqueued alone and in batches. */
    private static long payloads(JobQueue<byte[]> queue, int jobs) {
        long done = 0;
        for (int bytes = 256 << 10; bytes >= 1 << 10; bytes /= 4) {
            int batchSize = Math.min(DELAYED_BATCH, (512 << 10) / (bytes + 100));
            for (int i = 0; i < jobs; i++) {
                List<NewJob<byte[]>> batch = new ArrayList<>();
                for (int k = 0; k < batchSize; k++) {
                    NewJob<byte[]> job = NewJob.of(payload(bytes));
                    batch.add(i % 2 == 0 ? job : job.after(Duration.ofMillis(1)));
                }
                queue.enqueueAll(batch);
                done += batchSize;
            }
            handle(queue, jobs * batchSize);
        }
        return done;
    }

    /** Fills the queue with several batches in flight, and returns a sample of the ids. */
    private static List<JobId> fill(JobQueue<byte[]> queue, int jobs, int batchSize, IntFunction<NewJob<byte[]>> job) {
        List<JobId> some = new ArrayList<>();
        Deque<CompletableFuture<List<Enqueued>>> inFlight = new ArrayDeque<>();
        int keepEach = Math.max(1, jobs / SAMPLES);
        for (int from = 0; from < jobs || !inFlight.isEmpty(); from += batchSize) {
            if (from < jobs) {
                List<NewJob<byte[]>> batch = new ArrayList<>();
                for (int i = from; i < Math.min(jobs, from + batchSize); i++) {
                    batch.add(job.apply(i));
                }
                inFlight.add(queue.async().enqueueAll(batch).toCompletableFuture());
            }
            if (inFlight.size() >= IN_FLIGHT || from >= jobs) {
                int at = from;
                List<Enqueued> enqueued = inFlight.remove().join();
                if (at % keepEach < batchSize && some.size() < SAMPLES) {
                    some.add(enqueued.get(0).id());
                }
            }
        }
        return some;
    }

    /** Processes some jobs that are due immediately, some of them with a retry, while all others wait. */
    private static void processSome(JobQueue<byte[]> queue) {
        for (int i = 0; i < SAMPLES / 10; i++) {
            List<NewJob<byte[]>> batch = new ArrayList<>();
            for (int k = 0; k < BATCH; k++) {
                batch.add(NewJob.of(payload(100)).priority(io.headgate.queues.Priority.HIGH));
            }
            queue.enqueueAll(batch);
            List<Lease<byte[]>> leases = queue.claim(BATCH, LEASE);
            queue.ackAll(leases.subList(0, leases.size() / 2));
            leases.subList(leases.size() / 2, leases.size()).stream()
                    .limit(20)
                    .forEach(lease -> lease.retry(Duration.ofHours(1), "failed"));
            // Includes those that were retried: their acks change nothing.
            queue.ackAll(leases.subList(leases.size() / 2, leases.size()));
        }
    }

    /** A worker handles this many jobs; the first attempt of about every tenth fails. */
    private static void handle(JobQueue<byte[]> queue, int jobs) {
        CountDownLatch done = new CountDownLatch(jobs);
        WorkerListener counting = new WorkerListener() {
            @Override
            public void onAcked(Job<?> job) {
                done.countDown();
            }
        };
        try (Worker worker = Worker.of(queue)
                .concurrency(64)
                .lease(Duration.ofSeconds(30))
                .retries(new RetryPolicy(10, Duration.ofMillis(10), Duration.ofSeconds(1), 0.2))
                .listener(counting)
                .startAsync(LargeQueueLoads::handle)) {
            if (!done.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(done.getCount() + " jobs are not done");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static CompletionStage<?> handle(Job<byte[]> job) {
        boolean fails = job.attempt() == 1 && job.payload()[0] % 10 == 0;
        return fails
                ? CompletableFuture.failedFuture(new IllegalStateException("the first attempt fails"))
                : CompletableFuture.completedFuture(job);
    }

    private static byte[] payload(int bytes) {
        byte[] payload = new byte[bytes];
        new SplittableRandom(ThreadLocalRandom.current().nextLong()).nextBytes(payload);
        return payload;
    }

    private static void require(boolean found) {
        if (!found) {
            throw new IllegalStateException("a waiting job was not found");
        }
    }

    /** A load that starts with an empty queue, and returns the number of jobs. */
    record LargeQueueLoad(String name, ToLongFunction<JobQueue<byte[]>> work) {

        long run(JobQueue<byte[]> queue) {
            return work.applyAsLong(queue);
        }
    }
}
