package io.headgate.server.queues;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.JobState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A change that an operator makes to one job, and its outcome. */
public enum JobChange {
    /** Removes a waiting job. */
    CANCEL,
    /** Makes a job due now: a waiting job, or a dead letter, which returns to the queue. */
    RETRY,
    /** Deletes a dead letter. */
    DISCARD;

    /**
     * The outcome of a change.
     *
     * @param done whether the change was made
     * @param text the outcome in a word or two
     */
    public record Outcome(boolean done, String text) {

        private static final Outcome UNKNOWN = new Outcome(false, "not here");

        public boolean isUnknown() {
            return equals(UNKNOWN);
        }
    }

    /** Makes the change. */
    public CompletionStage<Outcome> apply(AsyncJobQueue<byte[]> queue, JobId id) {
        return switch (this) {
            case CANCEL -> orWhyNot(queue.cancel(id), "cancelled", queue, id);
            case DISCARD -> orWhyNot(queue.deadLetters().discard(id), "discarded", queue, id);
            case RETRY ->
                queue.deadLetters()
                        .redrive(id)
                        .thenCompose(redriven -> redriven
                                ? CompletableFuture.completedFuture(new Outcome(true, "redriven"))
                                : orWhyNot(queue.runNow(id), "due now", queue, id));
        };
    }

    /** Returns the outcome that the change would have, and changes nothing. */
    public CompletionStage<Outcome> rehearse(AsyncJobQueue<byte[]> queue, JobId id) {
        return queue.find(id)
                .thenApply(found ->
                        found.map(stored -> rehearsed(stored.state().kind())).orElse(Outcome.UNKNOWN));
    }

    private Outcome rehearsed(JobState.Kind state) {
        boolean waits = state == JobState.Kind.READY || state == JobState.Kind.DELAYED;
        boolean dead = state == JobState.Kind.DEAD;
        return switch (this) {
            case CANCEL -> waits ? new Outcome(true, "would be cancelled") : not(state);
            case DISCARD -> dead ? new Outcome(true, "would be discarded") : not(state);
            case RETRY ->
                waits || dead ? new Outcome(true, dead ? "would be redriven" : "would be due now") : not(state);
        };
    }

    private static CompletionStage<Outcome> orWhyNot(
            CompletionStage<Boolean> change, String text, AsyncJobQueue<byte[]> queue, JobId id) {
        return change.thenCompose(done -> done
                ? CompletableFuture.completedFuture(new Outcome(true, text))
                : queue.find(id)
                        .thenApply(found ->
                                found.map(stored -> not(stored.state().kind())).orElse(Outcome.UNKNOWN)));
    }

    private static Outcome not(JobState.Kind state) {
        return new Outcome(
                false,
                switch (state) {
                    case READY -> "ready";
                    case DELAYED -> "delayed";
                    case LEASED -> "leased";
                    case DEAD -> "dead letter";
                    case DONE -> "done";
                });
    }
}
