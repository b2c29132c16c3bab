package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.internal.inflight.InFlightEngine;
import io.headgate.redis.internal.connection.Signals;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Receives the signals (Pub/Sub messages) that other processes publish when they release holds, for policies with requests that wait here.
 * During an outage, when no signal arrives, waiting requests retry once a second anyway.
 */
final class HoldSignals {

    private final Signals signals;
    private final HoldKeys keys;
    private final String sender;
    private final Set<String> policies = ConcurrentHashMap.newKeySet();
    private volatile @Nullable InFlightEngine engine;

    /**
     * Creates an instance without subscriptions.
     *
     * @param sender identifies the releases of this engine, which are ignored here
     */
    HoldSignals(Signals signals, HoldKeys keys, String sender) {
        this.signals = signals;
        this.keys = keys;
        this.sender = sender;
    }

    /** Forwards signals to this engine from now on. */
    void forwardTo(InFlightEngine receiver) {
        engine = receiver;
    }

    /** Subscribes to the releases under a policy. */
    void subscribe(String policy) {
        if (policies.add(policy)) {
            signals.listen(keys.channel(policy), message -> receive(policy, message));
        }
    }

    /**
     * Handles a message: a script publishes the sender, the number of permits and the key. {@link Signals} passes an empty text when
     * messages may have been lost, and any client may publish other text.
     */
    private void receive(String policy, String message) {
        InFlightEngine receiver = engine;
        if (receiver == null) {
            return;
        }
        String[] words = message.split(" ", 3);
        if (words.length < 3) {
            receiver.changed(policy);
        } else if (!words[0].equals(sender) && words[1].matches("[0-9]{1,6}")) {
            receiver.freed(words[2], Long.parseLong(words[1]));
        }
    }
}
