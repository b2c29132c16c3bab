package io.headgate.bench.queues;

import io.headgate.bench.peers.PeerQueue;
import io.headgate.queues.Codec;
import io.headgate.queues.QueueEngine;
import io.headgate.queues.worker.Worker;
import io.headgate.redis.queues.RedisQueueEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/**
 * A process that waits for jobs of a subject: told by a line how many a turn has, it answers that it is ready, and when all
 * were handled how late they were.
 */
public final class LatenessConsumer {

    static final String READY = "ready";

    private static final Lateness LATENESS = new Lateness();

    private LatenessConsumer() {}

    /** Waits for the jobs of the subject that the first argument names, on the Redis that the second does. */
    public static void main(String[] arguments) throws IOException {
        try (AutoCloseable waiting = arguments[0].equals(QueueSubjects.HEADGATE)
                ? worker(arguments[1])
                : StreamReader.start(arguments[1], LatenessConsumer::handled)) {
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = orders.readLine(); line != null; line = orders.readLine()) {
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
}
