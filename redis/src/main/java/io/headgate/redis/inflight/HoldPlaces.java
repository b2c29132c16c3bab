package io.headgate.redis.inflight;

import io.headgate.limits.internal.PlacedHold;
import io.headgate.redis.internal.Packed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Several holds by the keys where they are: each key once, with its holds. Not safe for use by several threads. */
final class HoldPlaces {

    private final int holds;
    private final Map<String, Packed> packed = new LinkedHashMap<>();

    /** Of each key, the numbers of its holds. */
    private final Map<String, List<Integer>> held = new LinkedHashMap<>();

    HoldPlaces(List<PlacedHold> all) {
        this.holds = all.size();
        for (int i = 0; i < holds; i++) {
            PlacedHold hold = all.get(i);
            for (String place : hold.places()) {
                HoldPlanner.id(packed.computeIfAbsent(place, any -> new Packed()), hold.id())
                        .number(hold.permits(), 1);
                held.computeIfAbsent(place, any -> new ArrayList<>()).add(i);
            }
        }
    }

    List<String> keys() {
        return List.copyOf(packed.keySet());
    }

    List<byte[]> arguments() {
        return packed.values().stream().map(Packed::bytes).toList();
    }

    /** Of each hold, whether it was held under all of its keys, from a reply that says so of each key and each of its holds. */
    boolean[] heldInAll(byte[] reply) {
        List<Integer> said = held.values().stream().flatMap(List::stream).toList();
        if (reply.length != said.size()) {
            throw new IllegalArgumentException(reply.length + " bytes of " + said.size() + " holds");
        }
        boolean[] all = new boolean[holds];
        java.util.Arrays.fill(all, true);
        for (int i = 0; i < reply.length; i++) {
            all[said.get(i)] &= HoldReply.flag(reply[i]);
        }
        return all;
    }
}
