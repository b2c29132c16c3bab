package io.headgate.testkit.faults;

import io.headgate.testkit.internal.Changes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * What a {@link FaultProxy} has been told to break: cuts that wait for their moment, what is lost, replies that wait for
 * delivery.
 */
final class ProxyFaults {

    /** Which side of a command something is on: on the way to Redis, or on the way back. */
    enum Side {
        REQUEST,
        REPLY
    }

    /**
     * A cut to come, once.
     *
     * @param side before the request is passed on, or before its reply is
     * @param command the command in capitals, or empty for any
     * @param bytesDelivered how much of the reply still gets through
     * @param reset whether the client is told so by a reset instead of an end in good order
     */
    record Cut(Side side, String command, int bytesDelivered, boolean reset) {

        boolean concerns(Side where, String name) {
            return side == where && (command.isEmpty() || command.equals(name));
        }
    }

    private static final Duration FOR_EVER = Duration.ofDays(365);
    private static final int UNLIMITED = Integer.MAX_VALUE;
    private static final int SLICES_A_SECOND = 50;

    private final Changes changes = new Changes();
    private final List<Cut> armed = new ArrayList<>();
    private final Set<Side> dropped = EnumSet.noneOf(Side.class);
    private int cutting;
    private boolean holding;
    private Duration delay = Duration.ZERO;
    private int bytesPerSecond = UNLIMITED;
    private int told;

    /** How long a reply still has to wait, as things were told at that time. */
    private record Wait(Duration left, int told) {}

    void arm(Cut cut) {
        changes.change(() -> armed.add(cut));
    }

    void hold() {
        tell(() -> holding = true);
    }

    void delay(Duration by) {
        tell(() -> delay = by);
    }

    void release() {
        tell(() -> holding = false);
    }

    void throttle(int toBytesPerSecond) {
        tell(() -> bytesPerSecond = toBytesPerSecond);
    }

    void drop(Side side) {
        tell(() -> dropped.add(side));
    }

    boolean drops(Side side) {
        return changes.read(() -> dropped.contains(side));
    }

    /** Nothing is broken from now on. */
    void clear() {
        tell(() -> {
            armed.clear();
            dropped.clear();
            holding = false;
            delay = Duration.ZERO;
            bytesPerSecond = UNLIMITED;
        });
    }

    private void tell(Runnable change) {
        changes.change(() -> {
            change.run();
            told++;
        });
    }

    /** Takes the oldest cut that waits for this; whoever gets one reports {@link #done()}. */
    Optional<Cut> take(Side side, String command) {
        return changes.change(() -> {
            Optional<Cut> cut =
                    armed.stream().filter(one -> one.concerns(side, command)).findFirst();
            cut.ifPresent(one -> {
                armed.remove(one);
                cutting++;
            });
            return cut;
        });
    }

    void done() {
        changes.change(() -> cutting--);
    }

    boolean awaitCut(Duration atMost) {
        return changes.await(atMost, () -> armed.isEmpty() && cutting == 0);
    }

    String armed() {
        return changes.read(armed::toString);
    }

    /** Returns when a reply that was read at this time may be delivered, or its connection is closed. */
    void awaitDelivery(long readAtNanos, BooleanSupplier closed) {
        Wait wait = waitOf(readAtNanos);
        while (!closed.getAsBoolean() && !wait.left().isZero()) {
            int asTold = wait.told();
            changes.await(wait.left(), () -> closed.getAsBoolean() || told != asTold);
            wait = waitOf(readAtNanos);
        }
    }

    private Wait waitOf(long readAtNanos) {
        return changes.read(() -> {
            Duration left = holding ? FOR_EVER : delay.minusNanos(System.nanoTime() - readAtNanos);
            return new Wait(left.isNegative() ? Duration.ZERO : left, told);
        });
    }

    /**
     * Waits as long as it takes until so many bytes more may go out, or less when something else is told meanwhile.
     *
     * @return how many, from 1 to those that there are
     */
    int awaitBytes(int there, BooleanSupplier closed) {
        int rate = changes.read(() -> bytesPerSecond);
        if (rate == UNLIMITED) {
            return there;
        }
        int slice = Math.min(there, Math.max(1, rate / SLICES_A_SECOND));
        int asTold = changes.read(() -> told);
        changes.await(Duration.ofNanos(1_000_000_000L * slice / rate), () -> closed.getAsBoolean() || told != asTold);
        return slice;
    }

    /** Lets waiting deliveries look again whether their connection is closed. */
    void connectionClosed() {
        changes.change(() -> {});
    }
}
