package io.headgate.testkit.conditions;

import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.WrongClock;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A program, or a feature of the server or of the JVM, that some tests need and that a machine may lack.
 *
 * <p>A test names it with {@link Requires} and is skipped where it is missing. The reason of each such skip has the form
 * {@code needs nginx; install Debian's package nginx}. Safe for use by several threads.
 */
public enum Requirement {

    /** The web server nginx. */
    NGINX("nginx", "install Debian's package nginx"),

    /** The web server Caddy. */
    CADDY("caddy", "install Debian's package caddy"),

    /** The key-value store etcd. */
    ETCD("etcd", "install Debian's package etcd-server"),

    /** The monitoring system Prometheus, and promtool, which checks its rules. */
    PROMETHEUS("prometheus", "install Debian's package prometheus"),

    /** The library of {@link WrongClock}. */
    LIBFAKETIME("libfaketime", "install Debian's package faketime"),

    /** The program script(1), which makes a terminal. */
    SCRIPT("script", "install Debian's package bsdutils"),

    /** The program curl. */
    CURL("curl", "install Debian's package curl"),

    /** A server with the command WAITAOF. */
    WAITAOF("WAITAOF", "put a Redis from 7.2 on, or a Valkey, first on the PATH"),

    /** A JVM with virtual threads. */
    VIRTUAL_THREADS("virtual threads", "build with Java 21 or later");

    private static final int FIRST_JAVA_WITH_VIRTUAL_THREADS = 21;

    private final String name;
    private final String advice;

    Requirement(String name, String advice) {
        this.name = name;
        this.advice = advice;
    }

    /** Whether this machine has it. Each call checks again; for {@link #WAITAOF} it starts a server. */
    public boolean isMet() {
        return switch (this) {
            case NGINX, CADDY, ETCD, SCRIPT, CURL -> program(name).isPresent();
            case PROMETHEUS -> program(name).isPresent() && program("promtool").isPresent();
            case LIBFAKETIME -> WrongClock.isAvailable();
            case WAITAOF -> serverKnows(name);
            case VIRTUAL_THREADS -> Runtime.version().feature() >= FIRST_JAVA_WITH_VIRTUAL_THREADS;
        };
    }

    /** Returns why a test is skipped, in one line: what it needs, and what to install. */
    public String reason() {
        return "needs " + name + "; " + advice;
    }

    /** Finds an executable program on the PATH, or where Debian installs servers. */
    public static Optional<Path> program(String name) {
        Stream<String> path = Stream.of(
                Optional.ofNullable(System.getenv("PATH")).orElse("").split(Pattern.quote(File.pathSeparator)));
        return Stream.concat(path, Stream.of("/usr/sbin", "/usr/local/sbin"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder).resolve(name))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst();
    }

    private static boolean serverKnows(String command) {
        try (RedisServer redis = RedisServer.startOwn();
                RedisProbe probe = RedisProbe.of(redis.url())) {
            return probe.command("COMMAND", "INFO", command) instanceof List<?> known && known.get(0) != null;
        }
    }
}
