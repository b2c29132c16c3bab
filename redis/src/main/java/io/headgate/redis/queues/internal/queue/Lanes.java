package io.headgate.redis.queues.internal.queue;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.inspect.QueueCounts;
import io.headgate.queues.internal.Quoted;
import io.headgate.queues.internal.Utf8;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.queues.internal.audit.AuditedLanes;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Iterates over the lanes of a queue; a lane has the waiting jobs of one tenant. The lane of jobs without a tenant is first, then those of
 * tenants follow by name.
 *
 * <p>A cursor in the lane of a tenant is the byte {@link #MARK}, the length of the tenant's name, the name, and a cursor within the lane.
 */
record Lanes(LookupPlanner planner, ScriptExecutor executor) implements AuditedLanes {

    private static final HexFormat HEX = HexFormat.of();
    /** Distinguishes a cursor in the lane of a tenant from other cursors, which start with a kind of {@code Cursors}: 1 to 5. */
    private static final byte MARK = 32;

    private static final int TENANTS_AT_ONCE = 100;

    /** After this number of lanes, a page that has any jobs ends, even if it is not full. */
    private static final int LANES_OF_PAGE = 100;

    /** Reads a page of one lane: of a tenant, or of jobs without a tenant. */
    interface LaneReader<E> {

        CompletableFuture<Page<E>> page(Optional<String> tenant, Cursor from, int max);
    }

    /** Removes up to {@code max} jobs from one lane; returns how many were removed. */
    interface Purge {

        CompletableFuture<Integer> purge(Optional<String> tenant, int max);
    }

    /**
     * The current lane of an iteration.
     *
     * @param tenant the tenant of the lane; empty for the lane of jobs without a tenant
     * @param tenants the next tenants, as far as they were read
     */
    private record Position(Optional<String> tenant, List<String> tenants) {}

    /** Reads lane after lane until the page is full, or has jobs and the maximum number of lanes. */
    <E> CompletableFuture<Page<E>> page(Cursor from, int max, LaneReader<E> reader) {
        byte[] all = HEX.parseHex(from.value());
        if (all.length == 0 || all[0] != MARK) {
            return page(new Position(Optional.empty(), List.of()), from, max, reader, new ArrayList<>(), 1);
        }
        if (all.length < 2 || all[1] < 1 || all.length < 2 + all[1]) {
            throw new IllegalArgumentException(
                    "a cursor must be one that a page of this list returned, was " + Quoted.of(from.value()));
        }
        Position position = new Position(Optional.of(Utf8.text(all, 2, all[1])), List.of());
        Cursor inLane = new Cursor(from.value().substring(2 * (2 + all[1])));
        return page(position, inLane, max, reader, new ArrayList<>(), 1);
    }

    private <E> CompletableFuture<Page<E>> page(
            Position position, Cursor from, int max, LaneReader<E> reader, List<E> before, int lanes) {
        return reader.page(position.tenant(), from, max - before.size()).thenCompose(page -> {
            before.addAll(page.items());
            if (page.next().isPresent()) {
                return CompletableFuture.completedFuture(new Page<>(
                        before,
                        Optional.of(cursor(position.tenant(), page.next().get()))));
            }
            return next(position).thenCompose(next -> {
                boolean enough = before.size() == max || (lanes >= LANES_OF_PAGE && !before.isEmpty());
                if (next.isPresent() && !enough) {
                    return page(next.get(), Cursor.START, max, reader, before, lanes + 1);
                }
                return CompletableFuture.completedFuture(
                        new Page<>(before, next.map(lane -> cursor(lane.tenant(), Cursor.START))));
            });
        });
    }

    private static Cursor cursor(Optional<String> tenant, Cursor inLane) {
        return tenant.map(name -> new Cursor(HEX.formatHex(new Packed()
                                .number(MARK, 1)
                                .number(name.length(), 1)
                                .all(Utf8.of(name))
                                .bytes())
                        + inLane.value()))
                .orElse(inLane);
    }

    /** Removes up to {@code max} jobs, lane by lane; returns how many were removed. */
    CompletableFuture<Integer> purge(int max, Purge purge) {
        return purge(new Position(Optional.empty(), List.of()), max, purge, 0);
    }

    private CompletableFuture<Integer> purge(Position position, int max, Purge purge, int before) {
        return purge.purge(position.tenant(), max - before).thenCompose(count -> {
            int removed = before + count;
            return removed == max
                    ? CompletableFuture.completedFuture(removed)
                    : next(position)
                            .thenCompose(next -> next.isPresent()
                                    ? purge(next.get(), max, purge, removed)
                                    : CompletableFuture.completedFuture(removed));
        });
    }

    /** Corrects counts in which the delayed jobs of tenants are counted as ready. */
    CompletableFuture<QueueCounts> correct(QueueCounts counts) {
        return correct(counts, "");
    }

    private CompletableFuture<QueueCounts> correct(QueueCounts counts, String after) {
        return tenants(after)
                .thenCompose(tenants -> tenants.isEmpty()
                        ? CompletableFuture.completedFuture(counts)
                        : executor.execute(planner.laneCounts(tenants))
                                .thenCompose(some -> correct(some.correct(counts), tenants.get(tenants.size() - 1))));
    }

    private CompletableFuture<Optional<Position>> next(Position position) {
        if (!position.tenants().isEmpty()) {
            return CompletableFuture.completedFuture(first(position.tenants()));
        }
        return tenants(position.tenant().orElse("")).thenApply(Lanes::first);
    }

    private static Optional<Position> first(List<String> tenants) {
        return tenants.isEmpty()
                ? Optional.empty()
                : Optional.of(new Position(Optional.of(tenants.get(0)), tenants.subList(1, tenants.size())));
    }

    @Override
    public String[] keys(Optional<String> tenant) {
        return planner.planner().keys().lane(tenant).audit();
    }

    @Override
    public CompletableFuture<List<String>> tenants(String after) {
        return executor.execute(planner.tenants(after, TENANTS_AT_ONCE));
    }
}
