package io.headgate.redis.queues.internal.job;

import io.headgate.queues.Settled;
import io.headgate.redis.internal.script.Packed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settlements of one call: encodes their arguments, and decodes their results.
 *
 * <p>Settlements are grouped by claim, so that the script reads and writes each claim once. Within a claim, they are in the order of its
 * jobs, and consecutive plain acknowledgements, which need no record of the job, are sent as a range. Results are returned in the caller's
 * order.
 */
public final class JobSettlements {

    private static final int ACK_RANGE = 6;

    private final List<JobSettlement> settlements;
    /** For each token, the indexes of the settlements of its claim. */
    private final Map<ByteBuffer, List<Integer>> placesByToken = new LinkedHashMap<>();

    public JobSettlements(List<JobSettlement> settlements) {
        this.settlements = settlements;
        for (int i = 0; i < settlements.size(); i++) {
            placesByToken
                    .computeIfAbsent(ByteBuffer.wrap(settlements.get(i).token()), first -> new ArrayList<>())
                    .add(i);
        }
        Comparator<Integer> byIndex =
                Comparator.comparingInt(place -> settlements.get(place).index());
        placesByToken.values().forEach(places -> places.sort(byIndex));
    }

    /** The arguments of the script: each token, followed by the actions on the jobs of its claim. */
    public List<byte[]> arguments() {
        List<byte[]> arguments = new ArrayList<>();
        placesByToken.values().forEach(places -> {
            arguments.add(settlements.get(places.get(0)).token());
            arguments.add(actions(places.stream().map(settlements::get).toList()));
        });
        return arguments;
    }

    /** The actions on the jobs of one claim, in the order of their indexes, as settle_all in settle.lua reads them. */
    private static byte[] actions(List<JobSettlement> ofOneClaim) {
        Packed actions = new Packed();
        int from = 0;
        while (from < ofOneClaim.size()) {
            int acks = plainAcksFrom(ofOneClaim, from);
            JobSettlement first = ofOneClaim.get(from);
            // The whole claim, but only if the call has no other settlement of it: each settlement needs its own
            // result.
            if (acks == first.ofJobs() && acks == ofOneClaim.size()) {
                return actions.number(acks, 2).bytes();
            }
            if (acks > 1) {
                actions.number(first.index(), 2).number(ACK_RANGE, 1).number(acks, 2);
            } else {
                actions.number(first.index(), 2).all(first.action());
            }
            from += Math.max(1, acks);
        }
        return actions.bytes();
    }

    /** Returns how many settlements from there on are plain acknowledgements of consecutive jobs. */
    private static int plainAcksFrom(List<JobSettlement> ofOneClaim, int from) {
        int first = ofOneClaim.get(from).index();
        int to = from;
        while (to < ofOneClaim.size()
                && ofOneClaim.get(to).isPlainAck()
                && ofOneClaim.get(to).index() == first + to - from) {
            to++;
        }
        return to - from;
    }

    /** Reads the results, one byte each, from a position of the reply to its end; returns them in the caller's order. */
    List<Settled> settled(byte[] reply, int from) {
        if (reply.length != from + settlements.size()) {
            throw new IllegalArgumentException(
                    reply.length + " bytes where " + (from + settlements.size()) + " should be");
        }
        Settled[] settled = new Settled[settlements.size()];
        int at = from;
        for (List<Integer> places : placesByToken.values()) {
            for (int place : places) {
                settled[place] = reply[at++] == 0 ? Settled.LEASE_LOST : Settled.DONE;
            }
        }
        return List.of(settled);
    }

    /**
     * The results of settlements.
     *
     * @param nowMicros Redis's time
     * @param each the result of each, in the caller's order
     */
    public record Results(long nowMicros, List<Settled> each) {}

    /** Reads the reply of settle.lua. */
    public Results results(byte[] reply) {
        return new Results(Packed.number(reply, 0, Times.BYTES), settled(reply, Times.BYTES));
    }
}
