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

/** The states whose jobs can be purged. Claimed jobs cannot be purged. */
public enum PurgeState {
    /** Ready and delayed jobs. */
    WAITING(JobState.Kind.READY, JobState.Kind.DELAYED),
    /** Jobs that are due and not claimed. */
    READY(JobState.Kind.READY),
    /** Jobs with a later due time. */
    DELAYED(JobState.Kind.DELAYED),
    /** Dead letters. */
    DEAD(JobState.Kind.DEAD),
    /** Done jobs that are kept. */
    DONE(JobState.Kind.DONE);

    public static final String EXPECTED = "waiting (ready and delayed), ready, delayed, dead or done";

    @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable
    private final List<JobState.Kind> states;

    PurgeState(JobState.Kind... states) {
        this.states = List.of(states);
    }

    /**
     * The state with that name.
     *
     * @throws IllegalArgumentException if there is none; the message states what is allowed
     */
    public static PurgeState parse(String given) {
        return Arrays.stream(values())
                .filter(state -> Words.lower(state).equals(given))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "state " + Quoted.of(given) + " is not " + EXPECTED + "; claimed jobs cannot be deleted"));
    }

    /** Reads a state on the command line. */
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

    /** The number of jobs in this state. */
    public long countIn(QueueCounts counts) {
        return states.stream()
                .mapToLong(state -> OperatedQueues.count(counts, state))
                .sum();
    }

    /** A number of jobs as text, for example {@code 12 ready jobs} or {@code 1 dead letter}. */
    public String describe(long number) {
        return this == DEAD
                ? Words.count(Words.whole(number), "dead letter")
                : Words.count(Words.whole(number), Words.lower(this) + " job");
    }

    /** Deletes up to {@code most} jobs in this state (1 to 500), or fewer if they are large; returns their number. */
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
