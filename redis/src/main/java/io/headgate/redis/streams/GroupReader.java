package io.headgate.redis.streams;

import io.headgate.redis.internal.PairExecutor;
import io.headgate.redis.internal.Replies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Claims from the stream: all in one script, or with new entries left to a command behind it. */
final class GroupReader {

    private final GroupPlanner planner;
    private final PairExecutor executor;
    private final GroupPosition position;
    private final Backlog backlog;
    private final Batches batches;

    GroupReader(GroupPlanner planner, PairExecutor executor) {
        this.planner = planner;
        this.executor = executor;
        this.position = new GroupPosition(planner.settings().start());
        this.backlog = new Backlog(planner.maxPayloadBytes());
        this.batches = planner.batches();
    }

    /** Settles what is to be, and claims. */
    CompletableFuture<GroupClaim> claim(int most, Duration lease, List<EntrySettlement> settling) {
        // The command can't say that a lease is shorter than the minimum idle time.
        int behind = lease.equals(planner.settings().minIdle()) ? backlog.count(most) : 0;
        return (behind > 0 ? withCommand(behind, lease, settling) : inScript(most, lease, settling))
                .thenApply(claim -> {
                    position.passed(claim);
                    return claim;
                });
    }

    private CompletableFuture<GroupClaim> inScript(int most, Duration lease, List<EntrySettlement> settling) {
        return executor.execute(planner.claim(most, lease, position.text(), settling))
                .thenApply(claim -> {
                    backlog.note(claim, claim.isFull());
                    return claim;
                });
    }

    private CompletableFuture<GroupClaim> withCommand(int most, Duration lease, List<EntrySettlement> settling) {
        String open = planner.opening();
        Optional<Batch> batch = batches.next();
        Replies<GroupClaim, byte[]> replies = executor.execute(
                planner.claim(most, lease, position.text(), settling, open), planner.readBehind(most, open, batch));
        return replies.first().thenCompose(claim -> {
            if (!claim.isOpen()) {
                // Whatever was read is of a script that Redis did not know, and has expired leases like any lost reply.
                backlog.note(claim, claim.isFull());
                return CompletableFuture.completedFuture(claim);
            }
            return replies.second()
                    .thenApply(reply -> claim.with(reply, batch.orElse(null)))
                    .thenCompose(all -> {
                        backlog.note(all, all.entries().size() == most);
                        // Nothing new, or no group: the script knows, and says when to come back.
                        return all.entries().isEmpty()
                                ? inScript(most, lease, List.of()).thenApply(all::then)
                                : CompletableFuture.completedFuture(all);
                    })
                    .exceptionally(problem -> ifSettled(claim, problem));
        });
    }

    /** What was settled is to be told, whatever became of the rest. */
    private static GroupClaim ifSettled(GroupClaim claim, Throwable problem) {
        if (claim.settled().isEmpty()) {
            throw problem instanceof CompletionException known ? known : new CompletionException(problem);
        }
        return claim;
    }
}
