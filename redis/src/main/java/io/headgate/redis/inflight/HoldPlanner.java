package io.headgate.redis.inflight;

import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.TimeSource;
import io.headgate.limits.internal.HoldStore;
import io.headgate.limits.internal.Micros;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.limits.internal.Released;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptCall;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/** Turns what is asked of holds into script calls. */
final class HoldPlanner {

    /** How long a key is kept when nothing is held there any more: a minute, and one more so that it is seldom set anew. */
    static final long REST_MILLIS = 120_000;

    private static final int JITTERS = 16;

    private final HoldKeys keys;
    private final HoldScripts scripts;
    private final byte[] sender;
    private final Optional<TimeSource> time;

    /**
     * Plans calls.
     *
     * @param sender tells the signals of this engine from those of others
     * @param time is passed in, in tests, instead of Redis's own
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
                HoldPlaces.id(new Packed(), hold.id()).bytes(),
                Packed.text(hold.permits()),
                Packed.text(Micros.of(policy.lease())),
                Packed.text(keptMillis(policy.lease())),
                limits.bytes());
    }

    ScriptCall<InFlight> peek(InFlightPolicy policy, List<String> places) {
        return call(scripts.peek(), places, reply -> new HoldReply(reply, policy).inFlight());
    }

    /** What a renewal does; the script knows it by its number. */
    enum Renewal {
        /** Has what is held last for the lease. */
        BY_HOLDER(0),
        /** Has it last for the lease, or longer where it does already. */
        LENGTHENS(1),
        /** The same, and what is not held is held again, whatever the limits. */
        PUTS_BACK(2);

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

    ScriptCall<List<Released>> release(String policy, List<PlacedHold> holds) {
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

    /** Not the same for all, so that keys don't expire at once. */
    private static long keptMillis(Duration lease) {
        long millis = lease.toMillis() + REST_MILLIS;
        return millis + millis / 10 * ThreadLocalRandom.current().nextInt(JITTERS) / JITTERS;
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
