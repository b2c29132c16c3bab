package io.headgate.redis.inflight;

import io.headgate.limits.internal.InFlightEngine;
import io.headgate.redis.internal.Signals;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Hears what other processes give back, of policies for which somebody waits here. While Redis can't be
 * reached, those who wait ask once a second all the same.
 */
final class HoldSignals {

    private final Signals signals;
    private final HoldKeys keys;
    private final String sender;
    private final Set<String> policies = ConcurrentHashMap.newKeySet();
    private volatile @Nullable InFlightEngine engine;

    /**
     * Hears nothing yet.
     *
     * @param sender who gives back here, which is known here already
     */
    HoldSignals(Signals signals, HoldKeys keys, String sender) {
        this.signals = signals;
        this.keys = keys;
        this.sender = sender;
    }

    /** Tells this engine. */
    void tell(InFlightEngine waiting) {
        engine = waiting;
    }

    /** Listens from now on to what is given back under the policy. */
    void listen(String policy) {
        if (policies.add(policy)) {
            signals.listen(keys.channel(policy), message -> heard(policy, message));
        }
    }

    /** What a script publishes: who it was, how many permits, the key. Anybody may publish anything there. */
    private void heard(String policy, String message) {
        InFlightEngine waiting = engine;
        if (waiting == null) {
            return;
        }
        String[] words = message.split(" ", 3);
        if (words.length < 3) {
            waiting.changed(policy);
        } else if (!words[0].equals(sender) && words[1].matches("[0-9]{1,6}")) {
            waiting.freed(words[2], Long.parseLong(words[1]));
        }
    }
}
