package io.headgate.bench.peers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** BullMQ as npm installs it, below the folder where the launcher keeps what it builds. */
public final class BullMq {

    /** Set by the launcher: the folder where it keeps what it builds. */
    static final String FOLDER_PROPERTY = "headgate.builds";

    static final String NAME = "bullmq";

    /** It gets one in ten of the jobs that the others get. */
    private static final int SHARE = 10;

    private static final List<String> PACKAGES = List.of("bullmq@6", "ioredis@5");
    private static final String SCRIPT = "bullmq.cjs";
    private static final int PATIENCE_SECONDS = 180;

    /** What can be measured, or why it can't. */
    public record Found(Optional<QueueSubject> subject, Optional<String> absence) {

        private static Found not(String reason) {
            return new Found(Optional.empty(), Optional.of(NAME + " is left out: " + reason));
        }
    }

    private BullMq() {}

    /** Installs it when it is not there yet. */
    public static Found find() {
        String builds = System.getProperty(FOLDER_PROPERTY);
        if (builds == null) {
            return Found.not("only ./headgate says where it may be installed");
        }
        try {
            return find(Path.of(builds, NAME));
        } catch (IOException e) {
            return Found.not(e.toString());
        }
    }

    private static Found find(Path folder) throws IOException {
        Files.createDirectories(folder);
        for (String program : List.of("node", "npm")) {
            if (!runs(folder, List.of(program, "--version"))) {
                return Found.not("there is no " + program + " on the PATH");
            }
        }
        Path complete = folder.resolve("complete");
        if (!Files.exists(complete)) {
            List<String> install = new ArrayList<>(
                    List.of("npm", "install", "--prefix", folder.toString(), "--ignore-scripts", "--no-audit"));
            install.addAll(PACKAGES);
            if (!runs(folder, install)) {
                return Found.not("npm could not install it; " + log(folder) + " says why");
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

    /** Whether it is there, and ends well in time. */
    private static boolean runs(Path folder, List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log(folder).toFile())
                    .start();
            boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
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
}
