package io.headgate.testkit.faults;

import io.headgate.testkit.internal.Changes;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Counts what clients send through a {@link FaultProxy}. */
final class ProxyTraffic {

    private final Changes changes = new Changes();
    private final Map<String, Long> commands = new TreeMap<>();
    private long requestBytes;
    private long connections;

    void connected() {
        changes.change(() -> connections++);
    }

    void requested(Frames.Frame request) {
        changes.change(() -> {
            requestBytes += request.length();
            commands.merge(request.command(), 1L, Long::sum);
        });
    }

    long connections() {
        return changes.read(() -> connections);
    }

    long requestBytes() {
        return changes.read(() -> requestBytes);
    }

    Map<String, Long> commands() {
        return changes.read(() -> Collections.unmodifiableMap(new TreeMap<>(commands)));
    }

    long commands(String name) {
        return changes.read(() -> commands.getOrDefault(name.toUpperCase(Locale.ROOT), 0L));
    }

    boolean awaitCommands(String name, long count, Duration atMost) {
        return changes.await(atMost, () -> commands(name) >= count);
    }

    boolean awaitConnections(long count, Duration atMost) {
        return changes.await(atMost, () -> connections >= count);
    }
}
