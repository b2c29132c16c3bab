package io.headgate.testkit.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The brute-force model of in-flight limits: a list of all holds in all places, which every call reads in full. A place is the count of
 * one rule and its ids. Not safe for use by several threads.
 */
public final class HoldModel {

    private record Held(String place, String id, long permits, long expiresMicros) {}

    private final List<Held> held = new ArrayList<>();

    /** A model without holds. */
    public HoldModel() {}

    /**
     * Acquires permits in each place, or in none, and returns whether each place has the hold. A place that has it already is not changed.
     *
     * @param limits the limit of each place
     * @param permits the permits of the hold in each place
     */
    public boolean acquire(Map<String, Long> limits, String id, long permits, long leaseMicros, long nowMicros) {
        expire(nowMicros);
        Map<String, Long> missing = new HashMap<>(limits);
        missing.keySet().removeIf(place -> has(place, id));
        if (missing.entrySet().stream().anyMatch(place -> permits(place.getKey()) + permits > place.getValue())) {
            return false;
        }
        missing.keySet().forEach(place -> held.add(new Held(place, id, permits, nowMicros + leaseMicros)));
        return true;
    }

    /** How many permits are held in a place. */
    public long held(String place, long nowMicros) {
        expire(nowMicros);
        return permits(place);
    }

    /** When the first hold in a place expires; empty if the place has none. */
    public OptionalLong nextExpiryMicros(String place, long nowMicros) {
        expire(nowMicros);
        return held.stream()
                .filter(it -> it.place().equals(place))
                .mapToLong(Held::expiresMicros)
                .min();
    }

    /** Extends a hold, in the places that have it, so that it expires one lease from now. Returns whether all the given places have it. */
    public boolean renew(List<String> places, String id, long leaseMicros, long nowMicros) {
        expire(nowMicros);
        boolean everywhere = places.stream().allMatch(place -> has(place, id));
        held.replaceAll(it -> it.id().equals(id) && places.contains(it.place())
                ? new Held(it.place(), id, it.permits(), nowMicros + leaseMicros)
                : it);
        return everywhere;
    }

    /** Releases a hold. Returns whether all places had it. */
    public boolean release(List<String> places, String id, long nowMicros) {
        expire(nowMicros);
        boolean everywhere = places.stream().allMatch(place -> has(place, id));
        held.removeIf(it -> it.id().equals(id) && places.contains(it.place()));
        return everywhere;
    }

    /** Releases all holds in a place. Returns whether there was one. */
    public boolean reset(String place, long nowMicros) {
        expire(nowMicros);
        return held.removeIf(it -> it.place().equals(place));
    }

    private void expire(long nowMicros) {
        held.removeIf(it -> it.expiresMicros() <= nowMicros);
    }

    private boolean has(String place, String id) {
        return held.stream().anyMatch(it -> it.place().equals(place) && it.id().equals(id));
    }

    private long permits(String place) {
        return held.stream()
                .filter(it -> it.place().equals(place))
                .mapToLong(Held::permits)
                .sum();
    }
}
