package io.headgate.bench.faults;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** What became of every job, as far as those know who enqueue and handle jobs. Safe for use by several threads. */
final class JobHistory {

    private final Map<String, Fate> fates = new ConcurrentHashMap<>();

    /**
     * Of one job.
     *
     * @param answered whether its enqueue was
     * @param handled how often somebody handled it
     * @param acked whether an ack of it was answered
     * @param cameBack whether somebody had it after that
     */
    private record Fate(boolean answered, int handled, boolean acked, boolean cameBack) {

        static final Fate UNKNOWN = new Fate(false, 0, false, false);
    }

    /** Its enqueue was answered. */
    void answered(String job) {
        note(job, fate -> new Fate(true, fate.handled, fate.acked, fate.cameBack));
    }

    /** Somebody has it in hand, and does it. */
    void handled(String job) {
        note(job, fate -> new Fate(fate.answered, fate.handled + 1, fate.acked, fate.cameBack || fate.acked));
    }

    /** The queue has said that it is done. */
    void acked(String job) {
        note(job, fate -> new Fate(fate.answered, fate.handled, true, fate.cameBack));
    }

    private void note(String job, UnaryOperator<Fate> change) {
        fates.compute(job, (name, fate) -> change.apply(fate == null ? Fate.UNKNOWN : fate));
    }

    long answered() {
        return which(Fate::answered).size();
    }

    /** Those whose enqueue was answered, that nobody ever handled and that are not in the queue any more. */
    Set<String> lost(Set<String> inQueue) {
        Set<String> lost = which(fate -> fate.answered && fate.handled == 0);
        lost.removeAll(inQueue);
        return lost;
    }

    /** Those that were handled more than once, whoever did. */
    Set<String> handledTwice() {
        return which(fate -> fate.handled > 1);
    }

    /** Those that were handed out once more after an ack of theirs was answered. */
    Set<String> backAfterAck() {
        return which(Fate::cameBack);
    }

    private Set<String> which(Predicate<Fate> wanted) {
        return fates.entrySet().stream()
                .filter(one -> wanted.test(one.getValue()))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
