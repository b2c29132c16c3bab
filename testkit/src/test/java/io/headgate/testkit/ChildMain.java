package io.headgate.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The program of child JVMs in tests; the first argument selects what it does. */
final class ChildMain {

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private ChildMain() {}

    public static void main(String[] arguments) throws IOException {
        switch (arguments[0]) {
            case "say" -> {
                List.of(arguments).subList(1, arguments.length).forEach(OUT::println);
                OUT.println("environment " + System.getenv("HEADGATE_CHILD"));
                OUT.println("property " + System.getProperty("headgate.child"));
                OUT.println("say \u00e9");
            }
            case "echo" -> echo();
            case "temporary" -> OUT.println(System.getProperty("java.io.tmpdir"));
            case "time" -> OUT.println(Instant.now());
            case "redis" -> {
                OUT.println(RedisServer.startOwn().url());
                echo();
            }
            case "cluster" -> {
                OUT.println(RedisCluster.start().url());
                echo();
            }
            case "redis-of-a-child" -> {
                OUT.println(ChildJvm.of(ChildMain.class)
                        .shortLived()
                        .start("redis")
                        .nextLine(Duration.ofSeconds(60))
                        .orElseThrow());
                echo();
            }
            case "folders" -> {
                for (int i = 0; i < 1_000; i++) {
                    RedisFolder folder = RedisFolder.create();
                    OUT.println(Files.isDirectory(folder.path()) ? "there" : "deleted by another process");
                    folder.delete();
                }
            }
            case "redis-while-ending" -> startWhileEnding(RedisServer::startOwn);
            case "child-while-ending" ->
                startWhileEnding(() -> ChildJvm.of(ChildMain.class).shortLived().start("echo"));
            default -> throw new IllegalStateException("out of luck");
        }
    }

    /** Calls {@code start} while the JVM shuts down, and prints the error and the number of remaining child processes. */
    private static void startWhileEnding(Runnable start) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                start.run();
                OUT.println("started");
            } catch (IllegalStateException e) {
                OUT.println("refused: " + e.getMessage());
            }
            OUT.println("left: " + ProcessHandle.current().descendants().count());
        }));
    }

    private static void echo() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("exit ")) {
                System.exit(Integer.parseInt(line.substring("exit ".length())));
            }
            OUT.println(line);
        }
    }
}
