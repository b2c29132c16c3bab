package io.headgate.bench.faults;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** The outcome of every job, as producers and workers observe it. Safe for use by several threads. */
final class JobHistory {

    private final Map<String, Outcome> outcomes = new ConcurrentHashMap<>();

    /**
     * The history of one job.
     *
     * @param answered whether its enqueue was answered
     * @param handled how often it was handled
     * @param acked whether an ack of it was answered
     * @param redelivered whether it was handled again after such an ack
     */
    private record Outcome(boolean answered, int handled, boolean acked, boolean redelivered) {

        static final Outcome UNKNOWN = new Outcome(false, 0, false, false);
    }

    /** Records that the enqueue of a job was answered. */
    void answered(String job) {
        record(job, outcome -> new Outcome(true, outcome.handled, outcome.acked, outcome.redelivered));
    }

    /** Records that a worker handles a job. */
    void handled(String job) {
        record(
                job,
                outcome -> new Outcome(
                        outcome.answered, outcome.handled + 1, outcome.acked, outcome.redelivered || outcome.acked));
    }

    /** Records that an ack was answered. */
    void acked(String job) {
        record(job, outcome -> new Outcome(outcome.answered, outcome.handled, true, outcome.redelivered));
    }

    private void record(String job, UnaryOperator<Outcome> change) {
        outcomes.compute(job, (name, outcome) -> change.apply(outcome == null ? Outcome.UNKNOWN : outcome));
    }

    long answered() {
        return jobsWith(Outcome::answered).size();
    }

    /** The jobs whose enqueue was answered, that were never handled, and that are not in the queue. */
    Set<String> lost(Set<String> inQueue) {
        Set<String> lost = jobsWith(outcome -> outcome.answered && outcome.handled == 0);
        lost.removeAll(inQueue);
        return lost;
    }

    /** The jobs that were handled more than once. */
    Set<String> handledTwice() {
        return jobsWith(outcome -> outcome.handled > 1);
    }

    /** The jobs that were handled again after an ack was answered. */
    Set<String> backAfterAck() {
        return jobsWith(Outcome::redelivered);
    }

    private Set<String> jobsWith(Predicate<Outcome> wanted) {
        return outcomes.entrySet().stream()
                .filter(one -> wanted.test(one.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
