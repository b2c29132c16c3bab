package io.headgate.bench.limits;

import io.headgate.bench.peers.Subject.Gate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;

/** Asks a gate for a while on one thread, which waits for each answer. */
final class LoneCaller {

    private final Gate gate;
    private final List<String> keys;
    private final long nanos;

    LoneCaller(Gate gate, List<String> keys, Duration time) {
        this.gate = gate;
        this.keys = keys;
        this.nanos = time.toNanos();
    }

    /** Runs, and returns when its time is over. */
    Tally run() {
        Tally tally = new Tally();
        long start = System.nanoTime();
        long now = start;
        for (int i = 0; now - start < nanos; i++) {
            long sent = now;
            try {
                boolean allowed = gate.ask(keys.get(i % keys.size()))
                        .toCompletableFuture()
                        .join();
                now = System.nanoTime();
                tally.add(now - sent, allowed, null);
            } catch (CompletionException e) {
                now = System.nanoTime();
                tally.add(now - sent, null, e);
            }
        }
        tally.took(now - start);
        return tally;
    }
}
