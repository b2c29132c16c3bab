package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.internal.Bounds;
import io.headgate.limits.internal.inflight.HoldId;
import io.headgate.limits.internal.inflight.PlacedHold;
import io.headgate.limits.internal.inflight.Released;
import io.headgate.redis.internal.script.Packed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** The holds of one call, grouped by key, as {@code renew.lua} and {@code release.lua} expect them. Not safe for use by several threads. */
final class HoldPlaces {

    private final List<PlacedHold> holds;
    private final Map<String, Packed> packed = new LinkedHashMap<>();

    /** The indexes of the holds in each key. */
    private final Map<String, List<Integer>> held = new LinkedHashMap<>();

    HoldPlaces(List<PlacedHold> all) {
        this.holds = all;
        for (int i = 0; i < all.size(); i++) {
            PlacedHold hold = all.get(i);
            for (String place : hold.places()) {
                appendId(packed.computeIfAbsent(place, any -> new Packed()), hold.id())
                        .number(hold.permits(), 1);
                held.computeIfAbsent(place, any -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Appends the id of a hold, as scripts read it. */
    static Packed appendId(Packed to, HoldId id) {
        return to.number(id.engine(), Long.BYTES).number(id.number(), Long.BYTES);
    }

    List<String> keys() {
        return List.copyOf(packed.keySet());
    }

    List<byte[]> arguments() {
        return packed.values().stream().map(Packed::bytes).toList();
    }

    /** Decodes a reply with a flag for each key and each of its holds: returns whether each hold was held in all of its keys. */
    boolean[] heldInAll(byte[] reply) {
        boolean[] all = new boolean[holds.size()];
        Arrays.fill(all, true);
        each(reply, (hold, place, value) -> all[hold] &= HoldReply.flag(value));
        return all;
    }

    /** Decodes a reply with a number of permits for each key and each of its holds: returns the released permits of each hold. */
    List<Released> released(byte[] reply) {
        List<Integer[]> permits =
                holds.stream().map(hold -> new Integer[hold.places().size()]).toList();
        each(reply, (hold, place, value) -> {
            if (value < 0 || value > Bounds.MAX_HOLD_PERMITS) {
                throw new IllegalArgumentException(value + " permits of a hold");
            }
            permits.get(hold)[holds.get(hold).places().indexOf(place)] = (int) value;
        });
        return IntStream.range(0, holds.size())
                .mapToObj(i -> new Released(holds.get(i), List.of(permits.get(i))))
                .toList();
    }

    private interface Visitor {
        void visit(int hold, String place, byte value);
    }

    /** Visits the byte of each key and each of its holds. */
    private void each(byte[] reply, Visitor visitor) {
        int entries = held.values().stream().mapToInt(List::size).sum();
        if (reply.length != entries) {
            throw new IllegalArgumentException(reply.length + " bytes of " + entries + " holds");
        }
        int position = 0;
        for (Map.Entry<String, List<Integer>> key : held.entrySet()) {
            for (int hold : key.getValue()) {
                visitor.visit(hold, key.getKey(), reply[position++]);
            }
        }
    }
}
