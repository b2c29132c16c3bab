package io.headgate.testkit;

import io.headgate.testkit.internal.Processes;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Redis program that runs on this machine.
 *
 * @param program the file to start
 * @param description the name, the version and the origin, for messages
 */
record RedisBinary(Path program, String description) {

    /** The property that selects the origin of the program: {@code path} or {@code jar}. */
    static final String SOURCE = "headgate.test.redis.source";

    private static final String ADVICE =
            "Install redis-server or valkey-server so that it is on the PATH (Debian, Ubuntu:"
                    + " apt-get install redis-server; Fedora: dnf install valkey; Alpine: apk add redis; macOS: brew install"
                    + " redis).";

    private static final List<String> NAMES = List.of("redis-server", "valkey-server");
    private static final Pattern VERSION = Pattern.compile("v=(\\S+)");

    /** How long a program may take to print its version. */
    private static final Duration VERSION_TIMEOUT = Duration.ofSeconds(10);

    /**
     * Finds a program, as {@link RedisServer} describes.
     *
     * @param folder the folder into which a program from the jar is copied
     */
    static RedisBinary find(Path folder) {
        String source = System.getProperty(SOURCE, "");
        return switch (source) {
            case "" -> fromPath(searchPath()).orElseGet(() -> fromJar(folder));
            case "path" ->
                fromPath(searchPath())
                        .orElseThrow(() -> new IllegalStateException("there is neither " + String.join(" nor ", NAMES)
                                + " on the PATH, which " + SOURCE + "=path asks for. " + ADVICE));
            case "jar" -> fromJar(folder);
            default -> throw new IllegalArgumentException(SOURCE + " must be path or jar, was \"" + source + "\"");
        };
    }

    /** The first program of either name in these folders. */
    static Optional<RedisBinary> fromPath(String folders) {
        return fromPath(folders, VERSION_TIMEOUT);
    }

    static Optional<RedisBinary> fromPath(String folders, Duration versionTimeout) {
        for (String folder : folders.split(Pattern.quote(File.pathSeparator))) {
            for (String name : NAMES) {
                Path program = Path.of(folder).resolve(name);
                if (!folder.isEmpty() && Files.isRegularFile(program) && Files.isExecutable(program)) {
                    return Optional.of(
                            new RedisBinary(program, name + " " + version(program, versionTimeout) + " from PATH"));
                }
            }
        }
        return Optional.empty();
    }

    private static RedisBinary fromJar(Path folder) {
        String resource = resource(System.getProperty("os.name"), System.getProperty("os.arch"))
                .orElseThrow(() -> new IllegalStateException("no Redis is on the PATH, and the embedded jar has none"
                        + " for " + System.getProperty("os.name") + " on " + System.getProperty("os.arch") + ". "
                        + ADVICE));
        Path program = folder.resolve("redis-server");
        try (InputStream in = RedisBinary.class.getClassLoader().getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("no Redis is on the PATH, and " + resource
                        + " is not on the class path: embedded-redis 1.4.4 is missing there. " + ADVICE);
            }
            Files.copy(in, program);
        } catch (IOException e) {
            throw new IllegalStateException("cannot write the embedded Redis to " + program, e);
        }
        if (!program.toFile().setExecutable(true)) {
            throw new IllegalStateException("cannot make " + program + " executable. " + ADVICE);
        }
        return new RedisBinary(program, "Redis " + version(program, VERSION_TIMEOUT) + " from the embedded jar");
    }

    /** The name of the Redis 6.2 in the embedded jar; empty if the jar has none for this operating system and processor. */
    static Optional<String> resource(String osName, String osArch) {
        String os = osName.toLowerCase(Locale.ROOT);
        boolean arm = osArch.equals("aarch64") || osArch.equals("arm64");
        boolean intel = osArch.equals("amd64") || osArch.equals("x86_64");
        if (os.startsWith("linux")) {
            return intel
                    ? Optional.of("redis-server-6.2.6-v5-linux-amd64")
                    : arm ? Optional.of("redis-server-6.2.7-linux-arm64") : Optional.empty();
        }
        if (os.startsWith("mac")) {
            return intel
                    ? Optional.of("redis-server-6.2.6-v5-darwin-amd64")
                    : arm ? Optional.of("redis-server-6.2.6-v5-darwin-arm64") : Optional.empty();
        }
        return Optional.empty();
    }

    /** Runs the program to read its version, which also checks that it runs on this machine. */
    private static String version(Path program, Duration atMost) {
        try {
            Process process =
                    startWhenNotBusy(new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true));
            // Read the output only after the exit: a program that hangs keeps its output open.
            if (!Processes.exited(process, atMost)) {
                Processes.kill(process);
                throw new IllegalStateException(cannotRun(program, "it did not answer --version within " + atMost));
            }
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
            Matcher version = VERSION.matcher(output);
            if (process.exitValue() != 0 || !version.find()) {
                throw new IllegalStateException(cannotRun(program, output));
            }
            return version.group(1);
        } catch (IOException e) {
            throw new IllegalStateException(cannotRun(program, String.valueOf(e.getMessage())), e);
        }
    }

    /**
     * Starts the program, and retries while Linux reports its file as busy. Linux starts no program that is open for writing. If another
     * thread forks a process while the program is written, that process keeps the file open for a moment.
     */
    private static Process startWhenNotBusy(ProcessBuilder builder) throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return builder.start();
            } catch (IOException e) {
                if (attempt == 50 || !String.valueOf(e.getMessage()).contains("Text file busy")) {
                    throw e;
                }
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            }
        }
    }

    private static String cannotRun(Path program, String output) {
        return program + " does not run on this machine, perhaps because a library such as libssl 3 is missing: "
                + output + System.lineSeparator() + ADVICE;
    }

    private static String searchPath() {
        return Optional.ofNullable(System.getenv("PATH")).orElse("");
    }
}
