package io.headgate.redis.queues.internal.shards;

import io.headgate.queues.inspect.Cursor;
import io.headgate.queues.inspect.Page;
import io.headgate.queues.internal.Quoted;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads pages over all shards, one shard after the other. A cursor is one byte, 64 plus the number of the shard, followed by a cursor of
 * that shard.
 *
 * @param shards the number of shards
 * @param reader reads a page of one shard
 * @param <E> the type of an item
 */
record ShardPages<E>(int shards, ShardReader<E> reader) {

    private static final HexFormat HEX = HexFormat.of();
    private static final int MARK = 64;
    private static final int DIGITS = 2;

    /** Reads a page of one shard. */
    interface ShardReader<E> {

        CompletableFuture<Page<E>> page(int shard, Cursor from, int max);
    }

    /**
     * A page that a failed shard may have ended.
     *
     * @param next where to continue: after a failure, at the start of the following shard
     */
    record PartialPage<E>(List<E> items, Optional<Cursor> next, Optional<Throwable> failure) {}

    /** Reads a page, which fails if one of its shards fails. */
    CompletableFuture<Page<E>> page(Cursor from, int max) {
        return partialPage(from, max).thenCompose(part -> part.failure()
                .<CompletableFuture<Page<E>>>map(CompletableFuture::failedFuture)
                .orElseGet(() -> CompletableFuture.completedFuture(new Page<>(part.items(), part.next()))));
    }

    /** Reads a page, which ends at the first shard that fails. */
    CompletableFuture<PartialPage<E>> partialPage(Cursor from, int max) {
        if (from.equals(Cursor.START)) {
            return page(0, from, max, new ArrayList<>());
        }
        int shard = HexFormat.fromHexDigits(from.value(), 0, DIGITS) - MARK;
        if (shard < 0 || shard >= shards) {
            throw new IllegalArgumentException(
                    "a cursor must be one that a page of this list returned, was " + Quoted.of(from.value()));
        }
        return page(shard, new Cursor(from.value().substring(DIGITS)), max, new ArrayList<>());
    }

    private CompletableFuture<PartialPage<E>> page(int shard, Cursor from, int max, List<E> before) {
        boolean last = shard == shards - 1;
        Optional<Cursor> following = last ? Optional.empty() : Optional.of(cursor(shard + 1, Cursor.START));
        return reader.page(shard, from, max - before.size())
                .handle((page, failure) -> {
                    if (page == null) {
                        return CompletableFuture.completedFuture(
                                new PartialPage<>(before, following, Optional.of(failure)));
                    }
                    before.addAll(page.items());
                    Optional<Cursor> next = page.next().map(there -> cursor(shard, there));
                    return next.isEmpty() && !last && before.size() < max
                            ? page(shard + 1, Cursor.START, max, before)
                            : CompletableFuture.completedFuture(
                                    new PartialPage<>(before, next.or(() -> following), Optional.empty()));
                })
                .thenCompose(part -> part);
    }

    private static Cursor cursor(int shard, Cursor there) {
        return new Cursor(HEX.formatHex(new Packed().number(MARK + shard, 1).bytes()) + there.value());
    }
}
