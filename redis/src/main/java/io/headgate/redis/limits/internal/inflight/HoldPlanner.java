package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.inflight.HoldStore;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Plans the script calls of in-flight limits: pure, without I/O. */
final class HoldPlanner {

    /**
     * The time for which a key is stored after the lease, when a call sets its expiry. Later calls set the expiry again when less than
     * about a minute of this time would be left.
     */
    static final long REST_MILLIS = 120_000;

    private static final int JITTERS = 16;

    private final HoldKeys keys;
    private final HoldScripts scripts;
    private final byte[] sender;
    private final Optional<TimeSource> time;

    /**
     * Creates a planner.
     *
     * @param sender identifies this engine in the Pub/Sub messages that its releases publish
     * @param time the clock of decisions in tests; Redis's own when empty
     */
    HoldPlanner(HoldKeys keys, HoldScripts scripts, String sender, Optional<TimeSource> time) {
        this.keys = keys;
        this.scripts = scripts;
        this.sender = ascii(sender);
        this.time = time;
    }

    ScriptCall<HoldStore.Taken> acquire(InFlightPolicy policy, PlacedHold hold) {
        Packed limits = new Packed();
        for (InFlightRule rule : policy.rules()) {
            limits.number(rule.permits(), 4);
        }
        return call(
                scripts.acquire(),
                hold.places(),
                reply -> {
                    HoldReply read = new HoldReply(reply, policy);
                    return new HoldStore.Taken(read.taken(), read.inFlight());
                },
                HoldPlaces.appendId(new Packed(), hold.id()).bytes(),
                Packed.text(hold.permits()),
                Packed.text(Micros.of(policy.lease())),
                Packed.text(keptMillis(policy.lease())),
                limits.bytes());
    }

    ScriptCall<InFlight> peek(InFlightPolicy policy, List<String> places) {
        return call(scripts.peek(), places, reply -> new HoldReply(reply, policy).inFlight());
    }

    /** The effect of a renewal on each hold. */
    enum Renewal {
        /** Sets the lease of a hold that has not expired. */
        RENEWS(0),
        /** Extends the lease of a hold that has not expired, and never shortens it. */
        EXTENDS(1),
        /** Extends the lease as {@link #EXTENDS} does, and stores a hold that is not held, even beyond the limits. */
        STORES(2);

        /** The mode in renew.lua. */
        private final int number;

        Renewal(int number) {
            this.number = number;
        }
    }

    ScriptCall<boolean[]> renew(Renewal renewal, Duration lease, long endsMicros, List<PlacedHold> holds) {
        HoldPlaces places = new HoldPlaces(holds);
        return several(
                scripts.renew(),
                places,
                places::heldInAll,
                Packed.text(Micros.of(lease)),
                Packed.text(keptMillis(lease)),
                Packed.text(endsMicros),
                Packed.text(renewal.number));
    }

    ScriptCall<List<Released>> release(List<PlacedHold> holds) {
        String policy = holds.get(0).policy();
        HoldPlaces places = new HoldPlaces(holds);
        return several(scripts.release(), places, places::released, ascii(keys.channel(policy)), sender);
    }

    ScriptCall<Boolean> reset(String policy, String place) {
        return call(
                scripts.reset(),
                List.of(place),
                reply -> HoldReply.flag(reply[0]),
                ascii(keys.channel(policy)),
                sender);
    }

    private <T> ScriptCall<T> several(
            Script script, HoldPlaces places, ScriptCall.Decoder<T> decoder, byte[]... first) {
        List<byte[]> arguments = new ArrayList<>(List.of(first));
        arguments.addAll(places.arguments());
        return call(script, places.keys(), decoder, arguments.toArray(byte[][]::new));
    }

    private <T> ScriptCall<T> call(
            Script script, List<String> places, ScriptCall.Decoder<T> decoder, byte[]... arguments) {
        List<byte[]> all = new ArrayList<>(List.of(arguments));
        time.ifPresent(clock -> all.add(Packed.text(clock.nowMicros())));
        return new ScriptCall<>(script, places.toArray(String[]::new), all.toArray(byte[][]::new), decoder);
    }

    /** How long a key must exist after a call, with jitter, so that keys do not all expire at the same time. */
    private static long keptMillis(Duration lease) {
        long millis = lease.toMillis() + REST_MILLIS;
        return millis + millis / 10 * ThreadLocalRandom.current().nextInt(JITTERS) / JITTERS;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
