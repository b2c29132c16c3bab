package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import io.headgate.bench.peers.StreamJobs;
import io.headgate.bench.run.Choice.Lookup;
import io.lettuce.core.Consumer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.XReadArgs.StreamOffset;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import java.time.Duration;
import java.util.List;

/** A thread that waits for entries in a blocked XREADGROUP, and acks what it has read. */
final class StreamReader {

    private static final Duration BLOCKED = Duration.ofSeconds(1);

    private final RedisCommands<String, byte[]> commands;
    private final java.util.function.Consumer<byte[]> handler;

    private StreamReader(RedisCommands<String, byte[]> commands, java.util.function.Consumer<byte[]> handler) {
        this.commands = commands;
        this.handler = handler;
    }

    /** Begins, in a stream that is there. */
    static AutoCloseable start(String url, java.util.function.Consumer<byte[]> handler) {
        RedisClient client = RedisClient.create(url);
        StatefulRedisConnection<String, byte[]> connection =
                client.connect(RedisCodec.of(StringCodec.ASCII, ByteArrayCodec.INSTANCE));
        StreamReader reader = new StreamReader(connection.sync(), handler);
        Thread thread = new Thread(reader::read, "bench-stream");
        thread.setDaemon(true);
        thread.start();
        return () -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    private void read() {
        while (true) {
            List<StreamMessage<String, byte[]>> messages = next();
            messages.forEach(message -> handler.accept(Lookup.required(message.getBody(), StreamJobs.FIELD)));
            if (!messages.isEmpty()) {
                commands.xack(
                        StreamJobs.STREAM,
                        StreamJobs.GROUP,
                        messages.stream().map(StreamMessage::getId).toArray(String[]::new));
            }
        }
    }

    @SuppressWarnings("unchecked") // the one stream is passed as an array
    private List<StreamMessage<String, byte[]>> next() {
        return commands.xreadgroup(
                Consumer.from(StreamJobs.GROUP, "reader"),
                XReadArgs.Builder.block(BLOCKED).count(PeerQueue.BATCH),
                StreamOffset.lastConsumed(StreamJobs.STREAM));
    }
}
