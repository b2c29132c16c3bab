package io.headgate.server.queues;

import io.headgate.queues.AsyncJobQueue;
import io.headgate.queues.JobId;
import io.headgate.queues.inspect.JobState;
import io.headgate.redis.audit.AuditAction;
import io.headgate.server.audit.AuditedChange;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A change that an operator makes to one job. */
public enum JobChange {
    /** Removes a waiting job. */
    CANCEL,
    /** Makes a job due now: a waiting job, or a dead letter, which returns to the queue. */
    RETRY,
    /** Deletes a dead letter. */
    DISCARD;

    private static final String STATE = "state";
    private static final String REDRIVEN = "redriven";

    /**
     * The outcome of a change.
     *
     * @param done whether the change was made
     * @param text the outcome in a few words; if the change was not made, the state of the job that prevents it
     */
    public record Outcome(boolean done, String text) {

        private static final Outcome UNKNOWN = new Outcome(false, "not found");

        /** Returns whether the queue has no such job. */
        public boolean isUnknown() {
            return equals(UNKNOWN);
        }
    }

    /** The action in the audit log. */
    public AuditAction action() {
        return switch (this) {
            case CANCEL -> AuditAction.JOB_CANCEL;
            case RETRY -> AuditAction.JOB_RETRY;
            case DISCARD -> AuditAction.JOB_DISCARD;
        };
    }

    /** The change of a job for the audit log. The outcome shows from which state the job came. */
    public AuditedChange audited(String queue, JobId id, Outcome outcome) {
        AuditedChange change = AuditedChange.of(queue + "/" + id.value());
        if (outcome.isUnknown()) {
            return change;
        } else if (!outcome.done()) {
            return change.from(Map.of(STATE, outcome.text())).to(Map.of(STATE, outcome.text()));
        }
        boolean wasDead = this == DISCARD || outcome.text().equals(REDRIVEN);
        return change.from(Map.of(STATE, wasDead ? "dead" : "waiting"))
                .to(Map.of(STATE, this == RETRY ? "due now" : outcome.text()));
    }

    /** Makes the change. */
    public CompletionStage<Outcome> apply(AsyncJobQueue<byte[]> queue, JobId id) {
        return switch (this) {
            case CANCEL -> orState(queue.cancel(id), "cancelled", queue, id);
            case DISCARD -> orState(queue.deadLetters().discard(id), "discarded", queue, id);
            case RETRY ->
                queue.deadLetters()
                        .redrive(id)
                        .thenCompose(redriven -> redriven
                                ? CompletableFuture.completedFuture(new Outcome(true, REDRIVEN))
                                : orState(queue.runNow(id), "due now", queue, id));
        };
    }

    /** Returns the outcome that the change would have, and changes nothing. */
    public CompletionStage<Outcome> dryRun(AsyncJobQueue<byte[]> queue, JobId id) {
        return queue.find(id)
                .thenApply(found ->
                        found.map(job -> dryRunOutcome(job.state().kind())).orElse(Outcome.UNKNOWN));
    }

    private Outcome dryRunOutcome(JobState.Kind state) {
        boolean waits = state == JobState.Kind.READY || state == JobState.Kind.DELAYED;
        boolean dead = state == JobState.Kind.DEAD;
        return switch (this) {
            case CANCEL -> waits ? new Outcome(true, "would be cancelled") : unchanged(state);
            case DISCARD -> dead ? new Outcome(true, "would be discarded") : unchanged(state);
            case RETRY ->
                waits || dead ? new Outcome(true, dead ? "would be redriven" : "would be due now") : unchanged(state);
        };
    }

    /** The outcome of a change; if it was not made, the state of the job is the reason. */
    private static CompletionStage<Outcome> orState(
            CompletionStage<Boolean> change, String text, AsyncJobQueue<byte[]> queue, JobId id) {
        return change.thenCompose(done -> done
                ? CompletableFuture.completedFuture(new Outcome(true, text))
                : queue.find(id)
                        .thenApply(found ->
                                found.map(job -> unchanged(job.state().kind())).orElse(Outcome.UNKNOWN)));
    }

    private static Outcome unchanged(JobState.Kind state) {
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
