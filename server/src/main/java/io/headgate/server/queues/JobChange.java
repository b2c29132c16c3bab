package io.headgate.server.queues;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.JobState;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** What an operator does to one job, and what came of it. */
public enum JobChange {
    /** Takes a job that waits out of the queue. */
    CANCEL,
    /** Has a job handed out as soon as may be: one that waits is due now, a dead letter waits again. */
    RETRY,
    /** Removes a dead letter for good. */
    DISCARD;

    /**
     * What came of it.
     *
     * @param done whether anything was changed
     * @param text in a word or two
     */
    public record Outcome(boolean done, String text) {

        private static final Outcome UNKNOWN = new Outcome(false, "not here");

        public boolean isUnknown() {
            return equals(UNKNOWN);
        }
    }

    /** Does it. */
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

    /** Says what would come of it, and changes nothing. */
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
