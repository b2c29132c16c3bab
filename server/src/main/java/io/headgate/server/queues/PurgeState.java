package io.headgate.server.queues;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.inspect.JobState;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.server.text.Quoted;
import io.headgate.server.text.Words;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Which jobs of a queue may be removed all together. What is in hand may not. */
public enum PurgeState {
    /** Those that are ready, and those that are delayed. */
    WAITING(JobState.Kind.READY, JobState.Kind.DELAYED),
    /** Those that are due, and nobody has them. */
    READY(JobState.Kind.READY),
    /** Those that are due later. */
    DELAYED(JobState.Kind.DELAYED),
    /** Dead letters. */
    DEAD(JobState.Kind.DEAD),
    /** Those that are done and kept. */
    DONE(JobState.Kind.DONE);

    public static final String EXPECTED = "waiting (ready and delayed), ready, delayed, dead or done";

    @SuppressWarnings("ImmutableEnumChecker") // List.of is not changed by anybody
    private final List<JobState.Kind> states;

    PurgeState(JobState.Kind... states) {
        this.states = List.of(states);
    }

    /**
     * The one that is called so.
     *
     * @throws IllegalArgumentException when none is; it says what is allowed
     */
    public static PurgeState parse(String given) {
        return Arrays.stream(values())
                .filter(state -> Words.lower(state).equals(given))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "state " + Quoted.of(given) + " is not " + EXPECTED + "; claimed jobs cannot be deleted"));
    }

    /** Reads it on the command line. */
    public static final class Option implements ITypeConverter<PurgeState> {

        @Override
        public PurgeState convert(String given) {
            try {
                return parse(given);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(String.valueOf(e.getMessage()));
            }
        }
    }

    /** How many there are. */
    public long of(QueueCounts counts) {
        return states.stream()
                .mapToLong(state -> OperatedQueues.count(counts, state))
                .sum();
    }

    /** «12 ready jobs», «1 dead letter». */
    public String count(long number) {
        return this == DEAD
                ? Words.count(Words.whole(number), "dead letter")
                : Words.count(Words.whole(number), Words.lower(this) + " job");
    }

    /** Removes some, up to 500; how many they were. */
    public CompletionStage<Integer> purge(AsyncJobQueue<byte[]> queue, int most) {
        CompletionStage<Integer> purged = CompletableFuture.completedFuture(0);
        for (JobState.Kind state : states) {
            purged = purged.thenCompose(before -> before >= most
                    ? CompletableFuture.completedFuture(before)
                    : queue.purge(state, most - before).thenApply(more -> before + more));
        }
        return purged;
    }
}
