package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import io.headgate.bench.peers.StreamJobs;
import io.headgate.bench.queues.Lateness.DueJob;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.Codec;
import io.headgate.queues.NewJob;
import io.headgate.queues.QueueEngine;
import io.headgate.testkit.ChildJvm;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * How late another process handles jobs. Jobs of Headgate are enqueued in advance with their due times; entries of a stream are added
 * at these times.
 */
final class LatenessScenario implements Scenario {

    static final String QUEUE = "lateness";

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final long AHEAD_MICROS = 200_000;
    private static final int INTERVAL_MICROS = 4_000;

    private final String name;
    private final Arena arena;

    LatenessScenario(String name, Arena arena) {
        this.name = name;
        this.arena = arena;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return arena.pace().jobs().latenessRounds();
    }

    @Override
    public List<String> subjects() {
        return List.of(QueueSubjects.HEADGATE, QueueSubjects.STREAMS);
    }

    @Override
    public Turns open() {
        arena.probe().flushAll();
        OpenSubjects open = new OpenSubjects();
        subjects().forEach(open::warmUp);
        return open;
    }

    /** The producers in this process, and a consumer process for each subject. */
    private final class OpenSubjects implements Turns {

        private final QueueEngine queues = HeadgateJobs.engine(arena.redis());
        private final StreamJobs stream = StreamJobs.over(arena.redis());
        private final Map<String, ChildJvm> consumers = new LinkedHashMap<>();

        OpenSubjects() {
            stream.prepare();
            subjects()
                    .forEach(subject -> consumers.put(
                            subject,
                            ChildJvm.of(LatenessConsumer.class)
                                    .start(subject, arena.redis().url())));
        }

        void warmUp(String subject) {
            lateness(subject);
        }

        @Override
        public void take(String subject, Recorder into) {
            Lateness.Summary lateness = lateness(subject);
            into.add(Metrics.LATE_P50_MICROS, lateness.p50Micros());
            into.add(Metrics.LATE_P99_MICROS, lateness.p99Micros());
            into.add(Metrics.LATE_LEAST_MICROS, lateness.leastMicros());
        }

        private Lateness.Summary lateness(String subject) {
            ChildJvm consumer = Lookup.required(consumers, subject);
            int jobs = arena.pace().jobs().latenessJobs();
            consumer.send(Integer.toString(jobs));
            consumer.awaitLine(LatenessConsumer.READY::equals, TIMEOUT);
            Consumer<List<DueJob>> producer = subject.equals(QueueSubjects.HEADGATE) ? this::enqueue : this::addWhenDue;
            producer.accept(jobs(jobs));
            return Lateness.Summary.parse(consumer.awaitLine(Lateness.Summary::isSummary, TIMEOUT));
        }

        private void enqueue(List<DueJob> jobs) {
            AsyncJobQueue<byte[]> queue = queues.queue(QUEUE, Codec.bytes()).async();
            for (int from = 0; from < jobs.size(); from += PeerQueue.BATCH) {
                List<NewJob<byte[]>> batch = jobs.subList(from, Math.min(from + PeerQueue.BATCH, jobs.size())).stream()
                        .map(job -> NewJob.of(job.payload()).at(job.due()))
                        .toList();
                queue.enqueueAll(batch).toCompletableFuture().join();
            }
        }

        /** Adds each entry at its due time. Spins at the end of each wait, as sleeping is not exact. */
        private void addWhenDue(List<DueJob> jobs) {
            for (DueJob job : jobs) {
                for (long left = left(job); left > 0; left = left(job)) {
                    if (left > 500) {
                        LockSupport.parkNanos((left - 300) * 1000);
                    } else {
                        Thread.onSpinWait();
                    }
                }
                stream.enqueue(job.payload());
            }
        }

        private long left(DueJob job) {
            return job.dueMicros() - DueJob.nowMicros();
        }

        /** Jobs every few milliseconds, with random intervals. */
        private List<DueJob> jobs(int count) {
            SplittableRandom random = new SplittableRandom(count);
            long start = DueJob.nowMicros() + AHEAD_MICROS;
            return IntStream.range(0, count)
                    .mapToObj(i -> new DueJob(i, start + (long) i * INTERVAL_MICROS + random.nextInt(INTERVAL_MICROS)))
                    .toList();
        }

        @Override
        public void close() {
            consumers.values().forEach(ChildJvm::close);
            stream.close();
            queues.close();
            arena.probe().flushAll();
        }
    }
}
