package io.headgate.bench.peers;

import io.headgate.bench.run.RedisAccess;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Works with BullMQ in a node process, which does the work and answers how long it took. */
final class BullMqQueue implements PeerQueue {

    private static final int PATIENCE_SECONDS = 120;

    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter orders;
    private final Path errors;

    private BullMqQueue(Process process, Path errors) {
        this.process = process;
        this.answers = process.inputReader();
        this.orders = process.outputWriter();
        this.errors = errors;
    }

    /** Starts the process; it ends with this one, as its input does. */
    static BullMqQueue start(Path script, RedisAccess redis) {
        int port = URI.create(redis.url()).getPort();
        List<String> command = Stream.concat(
                        Stream.of("node", script.toString()),
                        Stream.of(port, PAYLOAD_BYTES, IN_FLIGHT, BATCH, BATCHES_IN_FLIGHT)
                                .map(String::valueOf))
                .toList();
        Path errors = script.resolveSibling("errors.log");
        try {
            Process process =
                    new ProcessBuilder(command).redirectError(errors.toFile()).start();
            return new BullMqQueue(process, errors);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + String.join(" ", command), e);
        }
    }

    @Override
    public void prepare() {
        order("prepare", 0);
    }

    @Override
    public Work enqueue(int jobs) {
        return order("enqueue", jobs);
    }

    @Override
    public Work enqueueBatches(int jobs) {
        return order("enqueueBatches", jobs);
    }

    @Override
    public Work enqueueLater(int jobs) {
        return order("enqueueLater", jobs);
    }

    /** One worker with as many jobs at a time as others have requests in flight, however many consumers are asked for. */
    @Override
    public Work process(int jobs, int consumers) {
        return order("process", jobs);
    }

    private Work order(String what, int jobs) {
        try {
            orders.write(what + " " + jobs + "\n");
            orders.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the process of BullMQ has ended; see " + errors, e);
        }
        String answer = CompletableFuture.supplyAsync(this::answer)
                .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .join();
        String[] words = answer.split(" ");
        if (!words[0].equals("done")) {
            throw new IllegalStateException("BullMQ could not " + what + ": " + answer);
        }
        return new Work(jobs, Long.parseLong(words[1]), Double.parseDouble(words[2]), Double.parseDouble(words[3]));
    }

    private String answer() {
        try {
            String line = answers.readLine();
            return line == null ? "its process has ended; see " + errors : line;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what BullMQ answers", e);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }
}
