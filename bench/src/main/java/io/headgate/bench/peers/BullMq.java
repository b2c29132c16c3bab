package io.headgate.bench.peers;

import io.headgate.bench.peers.PeerQueue.Work;
import io.headgate.bench.run.RedisAccess;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** BullMQ, which npm installs in the build folder of the launcher. */
public final class BullMq {

    /** The build folder of the launcher, which sets this property. */
    static final String FOLDER_PROPERTY = "headgate.builds";

    static final String NAME = "bullmq";

    /** BullMQ is measured with a tenth of the jobs of the other subjects. */
    private static final int SHARE = 10;

    private static final List<String> PACKAGES = List.of("bullmq@6", "ioredis@5");
    private static final String SCRIPT = "bullmq.cjs";
    private static final int TIMEOUT_SECONDS = 180;

    /** The subject, or else the reason why BullMQ cannot be measured. */
    public record Found(Optional<QueueSubject> subject, Optional<String> absence) {

        private static Found missing(String reason) {
            return new Found(Optional.empty(), Optional.of(NAME + " is left out: " + reason));
        }
    }

    private BullMq() {}

    /** Finds BullMQ, and installs it if it is missing. */
    public static Found find() {
        String builds = System.getProperty(FOLDER_PROPERTY);
        if (builds == null) {
            return Found.missing("it is installed only if ./headgate starts the benchmark");
        }
        try {
            return find(Path.of(builds, NAME));
        } catch (IOException e) {
            return Found.missing(e.toString());
        }
    }

    private static Found find(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String program : List.of("node", "npm")) {
            if (!runs(folder, List.of(program, "--version"))) {
                return Found.missing("there is no " + program + " on the PATH");
            }
        }
        Path complete = folder.resolve("complete");
        if (!Files.exists(complete)) {
            List<String> install = new ArrayList<>(
                    List.of("npm", "install", "--prefix", folder.toString(), "--ignore-scripts", "--no-audit"));
            install.addAll(PACKAGES);
            if (!runs(folder, install)) {
                return Found.missing("npm could not install it; see " + log(folder));
            }
            Files.createFile(complete);
        }
        Path script = folder.resolve(SCRIPT);
        try (InputStream file = BullMq.class.getResourceAsStream(SCRIPT)) {
            Files.write(script, Objects.requireNonNull(file, SCRIPT).readAllBytes());
        }
        QueueSubject subject = new QueueSubject(NAME, SHARE, redis -> BullMqQueue.start(script, redis));
        return new Found(Optional.of(subject), Optional.empty());
    }

    private static Path log(Path folder) {
        return folder.resolve("install.log");
    }

    /** Whether the command exists, and ends successfully in time. */
    private static boolean runs(Path folder, List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log(folder).toFile())
                    .start();
            boolean ended = process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (!ended) {
                process.destroy();
            }
            return ended && process.exitValue() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** A queue of BullMQ in a node process, which executes commands and prints how long they took. */
    static final class BullMqQueue implements PeerQueue {

        private static final int TIMEOUT_SECONDS = 120;

        private final Process process;
        private final BufferedReader answers;
        private final BufferedWriter commands;
        private final Path errors;

        private BullMqQueue(Process process, Path errors) {
            this.process = process;
            this.answers = process.inputReader();
            this.commands = process.outputWriter();
            this.errors = errors;
        }

        /** Starts the process; it ends with this one, because its input then ends. */
        static BullMqQueue start(Path script, RedisAccess redis) {
            int port = URI.create(redis.url()).getPort();
            List<String> command = Stream.concat(
                            Stream.of("node", script.toString()),
                            Stream.of(port, PAYLOAD_BYTES, IN_FLIGHT, BATCH, BATCHES_IN_FLIGHT)
                                    .map(String::valueOf))
                    .toList();
            Path errors = script.resolveSibling("errors.log");
            try {
                Process process = new ProcessBuilder(command)
                        .redirectError(errors.toFile())
                        .start();
                return new BullMqQueue(process, errors);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot start " + String.join(" ", command), e);
            }
        }

        @Override
        public void prepare() {
            execute("prepare", 0);
        }

        @Override
        public Work enqueue(int jobs) {
            return execute("enqueue", jobs);
        }

        @Override
        public Work enqueueBatches(int jobs) {
            return execute("enqueueBatches", jobs);
        }

        @Override
        public Work enqueueLater(int jobs) {
            return execute("enqueueLater", jobs);
        }

        /** Runs one worker that handles up to {@code IN_FLIGHT} jobs concurrently. It ignores {@code consumers}. */
        @Override
        public Work process(int jobs, int consumers) {
            return execute("process", jobs);
        }

        private Work execute(String what, int jobs) {
            try {
                commands.write(what + " " + jobs + "\n");
                commands.flush();
            } catch (IOException e) {
                throw new UncheckedIOException("the process of BullMQ has ended; see " + errors, e);
            }
            String answer = CompletableFuture.supplyAsync(this::answer)
                    .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS)
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
}
