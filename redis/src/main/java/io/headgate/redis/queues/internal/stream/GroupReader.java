package io.headgate.redis.queues.internal.stream;

import io.headgate.redis.internal.script.PairExecutor;
import io.headgate.redis.internal.script.PairedReplies;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Claims entries from a stream for a group. Usually a script reads new entries. While there is a backlog, a trailing {@code XREADGROUP}
 * reads them after the script. Safe for use by several threads.
 */
final class GroupReader {

    private final GroupPlanner planner;
    private final PairExecutor executor;
    private final GroupPosition position;
    private final Backlog backlog;
    private final Batch.Factory batches;

    GroupReader(GroupPlanner planner, PairExecutor executor) {
        this.planner = planner;
        this.executor = executor;
        this.position = new GroupPosition(planner.settings().start());
        this.backlog = new Backlog(planner.maxPayloadBytes());
        this.batches = planner.batches();
    }

    /** Processes settlements, then claims. */
    CompletableFuture<GroupClaim> claim(int max, Duration lease, List<EntrySettlement> settlements) {
        // XREADGROUP can't make a lease shorter than the minimum idle time.
        int byCommand = lease.equals(planner.settings().minIdle()) ? backlog.readByCommand(max) : 0;
        return (byCommand > 0 ? withCommand(byCommand, lease, settlements) : inScript(max, lease, settlements))
                .thenApply(claim -> {
                    position.advance(claim);
                    return claim;
                });
    }

    private CompletableFuture<GroupClaim> inScript(int max, Duration lease, List<EntrySettlement> settlements) {
        return executor.execute(planner.claim(max, lease, position.text(), settlements))
                .thenApply(claim -> {
                    backlog.update(claim, claim.isFull());
                    return claim;
                });
    }

    private CompletableFuture<GroupClaim> withCommand(int max, Duration lease, List<EntrySettlement> settlements) {
        String key = planner.trailingReadKey();
        Optional<Batch> batch = batches.next();
        PairedReplies<GroupClaim, byte[]> replies = executor.execute(
                planner.claim(max, lease, position.text(), settlements, key), planner.readNew(max, key, batch));
        return replies.script().thenCompose(claim -> {
            if (!claim.isReadByCommand()) {
                // The script has read entries itself, or the group is paused, and the command read nothing.
                backlog.update(claim, claim.isFull());
                return CompletableFuture.completedFuture(claim);
            }
            return replies.trailing()
                    .thenApply(reply -> claim.withEntries(reply, batch.orElse(null)))
                    .thenCompose(all -> {
                        backlog.update(all, all.entries().size() == max);
                        // There are no new entries, or no group, or the script was not loaded and ran after the
                        // command,
                        // which then read nothing. A second script creates the group if necessary, reads new entries,
                        // and
                        // returns when more may be available.
                        return all.entries().isEmpty()
                                ? inScript(max, lease, List.of()).thenApply(all::followedBy)
                                : CompletableFuture.completedFuture(all);
                    })
                    .exceptionally(problem -> settledOrThrow(claim, problem));
        });
    }

    /** Returns the results of the settlements even though reading failed; throws if there are none. */
    private static GroupClaim settledOrThrow(GroupClaim claim, Throwable problem) {
        if (claim.settled().isEmpty()) {
            throw problem instanceof CompletionException known ? known : new CompletionException(problem);
        }
        return claim;
    }

    /**
     * Decides how many new entries the trailing command reads. The command avoids the conversion of entries to Lua values and back. It is
     * used only while there is a backlog. Unlike the script, the command does not stop at a reply size. So it reads only as many entries
     * as should fit into one reply, estimated by the size of earlier entries.
     */
    private static final class Backlog {

        /** For fewer entries, the command costs more than it saves. */
        private static final int MIN_ENTRIES = 16;

        /** The reply size to aim for. */
        private static final int TARGET_BYTES = 512 << 10;

        /** The largest reply that is possible, given the largest payload that may be produced. */
        private static final int MAX_BYTES = 32 << 20;

        private final int maxEntries;
        private volatile int entryBytes;

        Backlog(int maxPayloadBytes) {
            this.maxEntries = MAX_BYTES / Math.max(1, maxPayloadBytes);
        }

        /** Returns how many entries the command reads, up to {@code max}; 0 if the script reads them. */
        int readByCommand(int max) {
            int size = entryBytes;
            int count = size == 0 ? 0 : Math.min(Math.min(max, maxEntries), TARGET_BYTES / size);
            return count < MIN_ENTRIES ? 0 : count;
        }

        /** Updates the estimate. There is a backlog if a claim returned the maximum number of entries. */
        void update(GroupClaim claim, boolean isFull) {
            int entries = claim.entries().size();
            entryBytes = isFull && entries > 0 ? Math.max(1, claim.bytes() / entries) : 0;
        }
    }
}
