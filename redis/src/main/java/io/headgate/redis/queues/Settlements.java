package io.headgate.redis.queues;

import io.headgate.queues.Settled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is to be settled in one call. It is sent claim by claim and there in the order of jobs, so that the script reads and
 * writes each claim once and learns of many jobs in a few words; what became of it is told in the order in which it was given.
 */
final class Settlements {

    private final List<Settlement> given;
    private final Map<ByteBuffer, List<Integer>> placesByToken = new LinkedHashMap<>();

    Settlements(List<Settlement> given) {
        this.given = given;
        for (int i = 0; i < given.size(); i++) {
            placesByToken
                    .computeIfAbsent(ByteBuffer.wrap(given.get(i).token()), first -> new ArrayList<>())
                    .add(i);
        }
        Comparator<Integer> byIndex =
                Comparator.comparingInt(place -> given.get(place).index());
        placesByToken.values().forEach(places -> places.sort(byIndex));
    }

    /** Arguments for the script: each token with what is said of its jobs. */
    List<byte[]> arguments() {
        List<byte[]> arguments = new ArrayList<>();
        placesByToken.values().forEach(places -> {
            arguments.add(given.get(places.get(0)).token());
            arguments.add(Settlement.verbs(places.stream().map(given::get).toList()));
        });
        return arguments;
    }

    /** What became of each: a byte for each, from a place in the reply on to its end. */
    List<Settled> settled(byte[] reply, int from) {
        if (reply.length != from + given.size()) {
            throw new IllegalArgumentException(reply.length + " bytes where " + (from + given.size()) + " should be");
        }
        Settled[] settled = new Settled[given.size()];
        int at = from;
        for (List<Integer> places : placesByToken.values()) {
            for (int place : places) {
                settled[place] = reply[at++] == 0 ? Settled.LEASE_LOST : Settled.DONE;
            }
        }
        return List.of(settled);
    }
}
