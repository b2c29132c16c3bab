package io.headgate.redis.inflight;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.HoldId;
import io.headgate.limits.internal.PlacedHold;
import io.headgate.limits.internal.Released;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Several holds by the keys where they are: each key once, with its holds. Not safe for use by several threads. */
final class HoldPlaces {

    private final List<PlacedHold> holds;
    private final Map<String, Packed> packed = new LinkedHashMap<>();

    /** Of each key, the numbers of its holds. */
    private final Map<String, List<Integer>> held = new LinkedHashMap<>();

    HoldPlaces(List<PlacedHold> all) {
        this.holds = all;
        for (int i = 0; i < all.size(); i++) {
            PlacedHold hold = all.get(i);
            for (String place : hold.places()) {
                id(packed.computeIfAbsent(place, any -> new Packed()), hold.id())
                        .number(hold.permits(), 1);
                held.computeIfAbsent(place, any -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Appends the id of a hold, as scripts read it. */
    static Packed id(Packed to, HoldId id) {
        return to.number(id.engine(), Long.BYTES).number(id.number(), Long.BYTES);
    }

    List<String> keys() {
        return List.copyOf(packed.keySet());
    }

    List<byte[]> arguments() {
        return packed.values().stream().map(Packed::bytes).toList();
    }

    /** Of each hold, whether it was held under all of its keys, from a reply that says so of each key and each of its holds. */
    boolean[] heldInAll(byte[] reply) {
        boolean[] all = new boolean[holds.size()];
        Arrays.fill(all, true);
        each(reply, (hold, place, said) -> all[hold] &= HoldReply.flag(said));
        return all;
    }

    /** What was given back of each hold, from a reply that says how many permits of each key and each of its holds. */
    List<Released> released(byte[] reply) {
        List<Integer[]> permits =
                holds.stream().map(hold -> new Integer[hold.places().size()]).toList();
        each(reply, (hold, place, said) -> {
            if (said < 0 || said > Bounds.MAX_HOLD_PERMITS) {
                throw new IllegalArgumentException(said + " permits of a hold");
            }
            permits.get(hold)[holds.get(hold).places().indexOf(place)] = (int) said;
        });
        return IntStream.range(0, holds.size())
                .mapToObj(i -> new Released(holds.get(i), List.of(permits.get(i))))
                .toList();
    }

    private interface Said {
        void of(int hold, String place, byte said);
    }

    /** A byte of each key and each of its holds. */
    private void each(byte[] reply, Said said) {
        int entries = held.values().stream().mapToInt(List::size).sum();
        if (reply.length != entries) {
            throw new IllegalArgumentException(reply.length + " bytes of " + entries + " holds");
        }
        int at = 0;
        for (Map.Entry<String, List<Integer>> key : held.entrySet()) {
            for (int hold : key.getValue()) {
                said.of(hold, key.getKey(), reply[at++]);
            }
        }
    }
}
