package io.headgate.testkit.faults;

import io.headgate.testkit.internal.Monitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** The faults that a {@link FaultProxy} causes: armed cuts, lost bytes, and replies that it delivers late. */
final class ProxyFaults {

    /** A direction: requests to Redis, or replies to the client. */
    enum Side {
        REQUEST,
        REPLY
    }

    /**
     * A cut, which happens once.
     *
     * @param side whether the connection ends before the request is forwarded, or before its reply is
     * @param command the command, or empty for any command
     * @param bytesDelivered how many bytes of the reply still pass
     * @param reset whether the connection ends by a reset instead of an orderly close
     */
    record Cut(Side side, String command, int bytesDelivered, boolean reset) {

        boolean matches(Side where, String name) {
            return side == where && (command.isEmpty() || command.equalsIgnoreCase(name));
        }
    }

    private static final Duration FOREVER = Duration.ofDays(365);
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int SLICES_PER_SECOND = 50;

    private final Monitor monitor = new Monitor();
    private final List<Cut> armed = new ArrayList<>();
    private final Set<Side> dropped = EnumSet.noneOf(Side.class);
    private int cutting;
    private boolean holding;
    private Duration delay = Duration.ZERO;
    private int bytesPerSecond = UNLIMITED;
    /** Increases with each change of the faults, so that a waiting delivery notices it. */
    private int version;

    /** How long a reply still has to wait, according to one version. */
    private record Wait(Duration left, int version) {}

    void arm(Cut cut) {
        monitor.change(() -> armed.add(cut));
    }

    void hold() {
        update(() -> holding = true);
    }

    void delay(Duration by) {
        update(() -> delay = by);
    }

    void release() {
        update(() -> holding = false);
    }

    void throttle(int toBytesPerSecond) {
        update(() -> bytesPerSecond = toBytesPerSecond);
    }

    void drop(Side side) {
        update(() -> dropped.add(side));
    }

    boolean drops(Side side) {
        return monitor.read(() -> dropped.contains(side));
    }

    /** Ends all faults. */
    void clear() {
        update(() -> {
            armed.clear();
            dropped.clear();
            holding = false;
            delay = Duration.ZERO;
            bytesPerSecond = UNLIMITED;
        });
    }

    private void update(Runnable change) {
        monitor.change(() -> {
            change.run();
            version++;
        });
    }

    /** Removes the oldest cut that applies. The caller ends the connection and then calls {@link #done()}. */
    Optional<Cut> take(Side side, String command) {
        return monitor.change(() -> {
            Optional<Cut> cut =
                    armed.stream().filter(one -> one.matches(side, command)).findFirst();
            cut.ifPresent(one -> {
                armed.remove(one);
                cutting++;
            });
            return cut;
        });
    }

    void done() {
        monitor.change(() -> cutting--);
    }

    boolean awaitCut(Duration atMost) {
        return monitor.await(atMost, () -> armed.isEmpty() && cutting == 0);
    }

    String armed() {
        return monitor.read(armed::toString);
    }

    /** Returns when a reply that was read at this time is due, or its connection is closed. */
    void awaitDelivery(long readAtNanos, BooleanSupplier closed) {
        Wait wait = remainingWait(readAtNanos);
        while (!closed.getAsBoolean() && !wait.left().isZero()) {
            int seen = wait.version();
            monitor.await(wait.left(), () -> closed.getAsBoolean() || version != seen);
            wait = remainingWait(readAtNanos);
        }
    }

    private Wait remainingWait(long readAtNanos) {
        return monitor.read(() -> {
            Duration left = holding ? FOREVER : delay.minusNanos(System.nanoTime() - readAtNanos);
            return new Wait(left.isNegative() ? Duration.ZERO : left, version);
        });
    }

    /**
     * Waits as long as the next bytes take at the current rate, or until a fault changes.
     *
     * @return how many bytes to send now, from 1 to {@code available}
     */
    int awaitBytes(int available, BooleanSupplier closed) {
        int rate = monitor.read(() -> bytesPerSecond);
        if (rate == UNLIMITED) {
            return available;
        }
        int slice = Math.min(available, Math.max(1, rate / SLICES_PER_SECOND));
        int seen = monitor.read(() -> version);
        monitor.await(Duration.ofNanos(1_000_000_000L * slice / rate), () -> closed.getAsBoolean() || version != seen);
        return slice;
    }

    /** Wakes waiting deliveries, which check again whether their connection is closed. */
    void connectionClosed() {
        monitor.change(() -> {});
    }
}
