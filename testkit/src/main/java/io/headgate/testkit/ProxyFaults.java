package io.headgate.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** What a {@link FaultProxy} has been told to break: cuts that wait for their moment, replies that wait for delivery. */
final class ProxyFaults {

    /** Which side of a command a cut is on. */
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
     */
    record Cut(Side side, String command, int bytesDelivered) {

        boolean concerns(Side where, String name) {
            return side == where && (command.isEmpty() || command.equals(name));
        }
    }

    private static final Duration FOR_EVER = Duration.ofDays(365);

    private final Changes changes = new Changes();
    private final List<Cut> armed = new ArrayList<>();
    private int cutting;
    private boolean holding;
    private Duration delay = Duration.ZERO;
    private int told;

    /** How long a reply still has to wait, as things were told at that time. */
    private record Wait(Duration left, int told) {}

    void arm(Cut cut) {
        changes.change(() -> armed.add(cut));
    }

    void hold() {
        changes.change(() -> {
            holding = true;
            told++;
        });
    }

    void delay(Duration by) {
        changes.change(() -> {
            delay = by;
            told++;
        });
    }

    void release() {
        changes.change(() -> {
            holding = false;
            told++;
        });
    }

    /** Nothing is broken from now on. */
    void clear() {
        changes.change(() -> {
            armed.clear();
            holding = false;
            delay = Duration.ZERO;
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

    /** Lets waiting deliveries look again whether their connection is closed. */
    void connectionClosed() {
        changes.change(() -> {});
    }
}
