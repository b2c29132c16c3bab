package io.headgate.bench.peers;

import io.headgate.bench.peers.AsyncPeerQueue.AsyncJobs;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.RedisAccess;
import io.lettuce.core.Consumer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Jobs in a stream with a consumer group, as an application would implement them with Lettuce: XADD, XREADGROUP and XACK. Acknowledged
 * entries stay in the stream. Jobs that are due later wait in a sorted set.
 */
public final class StreamJobs implements AsyncJobs {

    public static final String STREAM = "streams:jobs";
    private static final String WAITING = "streams:waiting";
    public static final String GROUP = "workers";
    public static final String FIELD = "p";
    private static final Consumer<String> CONSUMER = Consumer.from(GROUP, "worker");

    private final StatefulRedisConnection<String, byte[]> connection;
    private final RedisAsyncCommands<String, byte[]> commands;
    private final boolean oneByOne;
    private final Runnable end;

    private StreamJobs(RedisClient client, boolean oneByOne, Runnable end) {
        this.connection = client.connect(RedisCodec.of(StringCodec.ASCII, ByteArrayCodec.INSTANCE));
        this.commands = connection.async();
        this.oneByOne = oneByOne;
        this.end = end;
    }

    /** Jobs that are enqueued in pipelined batches, with one XACK for each batch. */
    public static StreamJobs over(RedisAccess redis) {
        return new StreamJobs(redis.client(), false, () -> {});
    }

    /** Jobs whose commands are each flushed to the network, as Lettuce does by default, with one XACK for each job. */
    public static StreamJobs oneByOne(RedisAccess redis) {
        RedisClient own = RedisClient.create(redis.url());
        return new StreamJobs(own, true, () -> own.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
    }

    @Override
    public void prepare() {
        connection.sync().xgroupCreate(StreamOffset.from(STREAM, "0"), GROUP, XGroupCreateArgs.Builder.mkstream());
    }

    @Override
    public CompletionStage<?> enqueue(byte[] payload) {
        return commands.xadd(STREAM, Map.of(FIELD, payload));
    }

    @Override
    public CompletionStage<?> enqueueAll(List<byte[]> payloads) {
        return pipelined(payloads, this::enqueue);
    }

    @Override
    public CompletionStage<?> enqueueLater(List<byte[]> payloads, Duration delay) {
        double due = System.currentTimeMillis() + delay.toMillis();
        return pipelined(payloads, payload -> commands.zadd(WAITING, due + Payloads.number(payload), payload));
    }

    /** Sends commands in one write to the network, unless each is flushed. */
    private CompletionStage<?> pipelined(List<byte[]> payloads, Function<byte[], CompletionStage<?>> command) {
        connection.setAutoFlushCommands(oneByOne);
        try {
            CompletableFuture<?>[] replies = payloads.stream()
                    .map(payload -> command.apply(payload).toCompletableFuture())
                    .toArray(CompletableFuture<?>[]::new);
            return CompletableFuture.allOf(replies);
        } finally {
            connection.flushCommands();
            connection.setAutoFlushCommands(true);
        }
    }

    @Override
    public CompletionStage<Integer> process(int most, java.util.function.Consumer<byte[]> handler) {
        return read(most).thenCompose(messages -> {
            if (messages.isEmpty()) {
                return CompletableFuture.completedFuture(0);
            }
            messages.forEach(message -> handler.accept(Lookup.required(message.getBody(), FIELD)));
            List<String> ids = messages.stream().map(StreamMessage::getId).toList();
            return oneByOne ? ackEach(ids) : ack(ids.toArray(String[]::new));
        });
    }

    @SuppressWarnings("unchecked") // the one stream is passed as an array
    private RedisFuture<List<StreamMessage<String, byte[]>>> read(int most) {
        return commands.xreadgroup(CONSUMER, XReadArgs.Builder.count(most), StreamOffset.lastConsumed(STREAM));
    }

    private CompletionStage<Integer> ack(String... ids) {
        return commands.xack(STREAM, GROUP, ids).thenApply(acked -> {
            if (acked != ids.length) {
                throw new IllegalStateException("only " + acked + " of " + ids.length + " entries were acked");
            }
            return ids.length;
        });
    }

    private CompletionStage<Integer> ackEach(List<String> ids) {
        return CompletableFuture.allOf(
                        ids.stream().map(id -> ack(id).toCompletableFuture()).toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> ids.size());
    }

    @Override
    public void close() {
        connection.close();
        end.run();
    }
}
