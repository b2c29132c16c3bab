package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import io.headgate.bench.peers.PeerQueue.Work;
import io.headgate.bench.peers.QueueSubject;
import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Pace;
import io.headgate.bench.run.RedisMeter;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Jobs are enqueued in an empty queue and then all processed; a part of this is measured. Every turn checks that each job was processed
 * once.
 */
final class QueueScenario implements Scenario {

    /** The measured part of a turn. */
    private enum Part {
        ENQUEUE,
        PROCESS,
        ALL
    }

    private final String name;
    private final Pace.Jobs pace;
    private final Arena arena;
    private final Map<String, QueueSubject> subjects = new LinkedHashMap<>();
    private final Part part;
    private final boolean oneByOne;
    private final int consumers;

    private QueueScenario(
            String name, Arena arena, List<QueueSubject> subjects, Part part, boolean oneByOne, int consumers) {
        this.name = name;
        this.pace = arena.pace().jobs();
        this.arena = arena;
        this.part = part;
        this.oneByOne = oneByOne;
        this.consumers = consumers;
        subjects.forEach(subject -> this.subjects.put(subject.name(), subject));
    }

    /** Jobs are enqueued one by one. */
    static QueueScenario enqueue(String name, Arena arena, List<QueueSubject> subjects) {
        return new QueueScenario(name, arena, subjects, Part.ENQUEUE, true, PeerQueue.BATCHES_IN_FLIGHT);
    }

    /** Jobs are enqueued in batches. */
    static QueueScenario enqueueBatch(String name, Arena arena, List<QueueSubject> subjects) {
        return new QueueScenario(name, arena, subjects, Part.ENQUEUE, false, PeerQueue.BATCHES_IN_FLIGHT);
    }

    /** Several consumers on one connection process all jobs of a queue. */
    static QueueScenario process(String name, Arena arena, List<QueueSubject> subjects) {
        return new QueueScenario(name, arena, subjects, Part.PROCESS, false, PeerQueue.BATCHES_IN_FLIGHT);
    }

    /** One consumer, which waits for each answer, processes all jobs of a queue; a queue with a worker ignores this. */
    static QueueScenario processOne(String name, Arena arena, List<QueueSubject> subjects) {
        return new QueueScenario(name, arena, subjects, Part.PROCESS, false, 1);
    }

    /** Jobs are enqueued in batches and then processed; both are measured. */
    static QueueScenario through(String name, Arena arena, List<QueueSubject> subjects) {
        return new QueueScenario(name, arena, subjects, Part.ALL, false, PeerQueue.BATCHES_IN_FLIGHT);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rounds() {
        return pace.rounds();
    }

    @Override
    public List<String> subjects() {
        return List.copyOf(subjects.keySet());
    }

    @Override
    public Turns open() {
        OpenQueues open = new OpenQueues();
        subjects.values().forEach(open::open);
        return open;
    }

    /** The work of a turn, and the resources of Redis that it used. */
    private record Measured(Work work, RedisMeter used) {}

    /** The connected subjects; they stay connected for the whole scenario. */
    private final class OpenQueues implements Turns {

        private final Map<String, PeerQueue> queues = new LinkedHashMap<>();

        /** Connects a subject, and warms it up with some turns that are not recorded. */
        void open(QueueSubject subject) {
            queues.put(subject.name(), subject.open(arena.redis()));
            for (int i = 0; i < pace.warmUps(); i++) {
                measure(subject);
            }
        }

        @Override
        public void take(String name, Recorder into) {
            QueueSubject subject = Lookup.required(subjects, name);
            record(measure(subject), into);
        }

        private Measured measure(QueueSubject subject) {
            PeerQueue queue = Lookup.required(queues, subject.name());
            int jobs = pace.jobs() / subject.divisor();
            arena.probe().flushAll();
            queue.prepare();
            return switch (part) {
                case ENQUEUE -> {
                    Measured enqueued = measured(() -> enqueue(queue, jobs));
                    queue.process(jobs, consumers);
                    yield enqueued;
                }
                case PROCESS -> {
                    enqueue(queue, jobs);
                    yield measured(() -> queue.process(jobs, consumers));
                }
                case ALL -> measured(() -> enqueue(queue, jobs).then(queue.process(jobs, consumers)));
            };
        }

        private Work enqueue(PeerQueue queue, int jobs) {
            return oneByOne ? queue.enqueue(jobs) : queue.enqueueBatches(jobs);
        }

        private Measured measured(Supplier<Work> work) {
            RedisMeter before = RedisMeter.read(arena.probe());
            Work done = work.get();
            return new Measured(done, RedisMeter.read(arena.probe()).since(before));
        }

        private void record(Measured measured, Recorder into) {
            Work work = measured.work();
            RedisMeter used = measured.used();
            into.add(Metrics.JOBS_PER_SECOND, work.perSecond());
            into.add(Metrics.REDIS_CPU_MICROS, used.cpuMicros() / work.jobs());
            into.add(Metrics.COMMANDS, (double) used.commands() / work.jobs());
            into.add(Metrics.BYTES_IN, (double) used.bytesIn() / work.jobs());
            into.add(Metrics.BYTES_OUT, (double) used.bytesOut() / work.jobs());
            if (!Double.isNaN(work.p50Micros())) {
                into.add(Metrics.P50_MICROS, work.p50Micros());
                into.add(Metrics.P99_MICROS, work.p99Micros());
            }
        }

        @Override
        public void close() {
            queues.values().forEach(PeerQueue::close);
            arena.probe().flushAll();
        }
    }
}
