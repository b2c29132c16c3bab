package io.headgate.testkit.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What in-flight limits are meant to do, as plain as can be: all holds of all places in one list, looked through each time. Not
 * safe for use by several threads.
 */
public final class HoldModel {

    private record Held(String place, String id, long permits, long expiresMicros) {}

    private final List<Held> held = new ArrayList<>();

    /** Nothing is held. */
    public HoldModel() {}

    /**
     * Takes permits in each place, or in none.
     *
     * @param limits how many each place has
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

    /** When the first of them expires. */
    public OptionalLong nextExpiryMicros(String place, long nowMicros) {
        expire(nowMicros);
        return held.stream()
                .filter(it -> it.place().equals(place))
                .mapToLong(Held::expiresMicros)
                .min();
    }

    /** Has a hold last for the lease from now on, where it is held; says whether that is everywhere. */
    public boolean renew(List<String> places, String id, long leaseMicros, long nowMicros) {
        expire(nowMicros);
        boolean everywhere = places.stream().allMatch(place -> has(place, id));
        held.replaceAll(it -> it.id().equals(id) && places.contains(it.place())
                ? new Held(it.place(), id, it.permits(), nowMicros + leaseMicros)
                : it);
        return everywhere;
    }

    /** Gives a hold back; says whether it was held everywhere. */
    public boolean release(List<String> places, String id, long nowMicros) {
        expire(nowMicros);
        boolean everywhere = places.stream().allMatch(place -> has(place, id));
        held.removeIf(it -> it.id().equals(id) && places.contains(it.place()));
        return everywhere;
    }

    /** Gives all back in a place; says whether there was any. */
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
