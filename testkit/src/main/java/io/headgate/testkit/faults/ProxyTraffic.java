package io.headgate.testkit.faults;

import io.headgate.testkit.internal.Monitor;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Counts what clients send through a {@link FaultProxy}. */
final class ProxyTraffic {

    private final Monitor monitor = new Monitor();
    private final Map<String, Long> commands = new TreeMap<>();
    private long requestBytes;
    private long connections;
    private long repliesLost;

    void connected() {
        monitor.change(() -> connections++);
    }

    void requested(Frames.Frame request) {
        monitor.change(() -> {
            requestBytes += request.length();
            commands.merge(request.command(), 1L, Long::sum);
        });
    }

    void replyLost() {
        monitor.change(() -> repliesLost++);
    }

    long connections() {
        return monitor.read(() -> connections);
    }

    long requestBytes() {
        return monitor.read(() -> requestBytes);
    }

    Map<String, Long> commands() {
        return monitor.read(() -> Collections.unmodifiableMap(new TreeMap<>(commands)));
    }

    long commands(String name) {
        return monitor.read(() -> commands.getOrDefault(name.toUpperCase(Locale.ROOT), 0L));
    }

    void awaitCommands(String name, long count, Duration atMost) {
        boolean seen = monitor.await(atMost, () -> commands(name) >= count);
        require(seen, atMost, count + " of " + name + "; seen: " + commands());
    }

    void awaitConnections(long count, Duration atMost) {
        boolean seen = monitor.await(atMost, () -> connections >= count);
        require(seen, atMost, count + " connections; seen: " + connections());
    }

    void awaitLostReplies(long count, Duration atMost) {
        boolean lost = monitor.await(atMost, () -> repliesLost >= count);
        require(lost, atMost, count + " lost replies; lost: " + monitor.read(() -> repliesLost));
    }

    static void require(boolean happened, Duration atMost, String what) {
        if (!happened) {
            throw new AssertionError("waited " + atMost + " in vain for " + what);
        }
    }
}
