package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import io.headgate.bench.peers.StreamJobs;
import io.headgate.bench.queues.Lateness.DueJob;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.queues.RedisQueueEngine;
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
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A process that handles the jobs of a subject. For each turn it reads the number of jobs, prints that it is ready, and prints their
 * lateness when all are handled.
 */
public final class LatenessConsumer {

    static final String READY = "ready";

    private static final Lateness LATENESS = new Lateness();

    private LatenessConsumer() {}

    /** Handles jobs until its input ends; the arguments are the name of the subject and the URL of Redis. */
    public static void main(String[] arguments) throws IOException {
        try (AutoCloseable consumer = arguments[0].equals(QueueSubjects.HEADGATE)
                ? worker(arguments[1])
                : StreamReader.start(arguments[1], LatenessConsumer::handled)) {
            BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                LATENESS.expect(Integer.parseInt(line));
                System.out.println(READY);
            }
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("the consumer failed", e);
        }
        System.exit(0);
    }

    private static AutoCloseable worker(String url) {
        QueueEngine queues = RedisQueueEngine.connect(url);
        Worker worker = Worker.of(queues.queue(LatenessScenario.QUEUE, Codec.bytes()))
                .concurrency(PeerQueue.IN_FLIGHT)
                .startAsync(job -> {
                    handled(job.payload());
                    return CompletableFuture.completedFuture(true);
                });
        return () -> {
            worker.close();
            queues.close();
        };
    }

    private static void handled(byte[] payload) {
        long now = DueJob.nowMicros();
        LATENESS.add(DueJob.of(payload), now).ifPresent(System.out::println);
    }

    /** A thread that reads entries with a blocking XREADGROUP, and acknowledges them with XACK. */
    static final class StreamReader {

        private static final Duration BLOCK_TIME = Duration.ofSeconds(1);

        private final RedisCommands<String, byte[]> commands;
        private final java.util.function.Consumer<byte[]> handler;

        private StreamReader(RedisCommands<String, byte[]> commands, java.util.function.Consumer<byte[]> handler) {
            this.commands = commands;
            this.handler = handler;
        }

        /** Starts to read an existing stream. */
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
                    XReadArgs.Builder.block(BLOCK_TIME).count(PeerQueue.BATCH),
                    StreamOffset.lastConsumed(StreamJobs.STREAM));
        }
    }
}
