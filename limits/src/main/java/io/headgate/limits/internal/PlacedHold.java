package io.headgate.limits.internal;

import java.util.List;

/**
 * A hold as a store knows it.
 *
 * @param id its id
 * @param permits how many it has of each rule
 * @param places where: one for each rule of its policy
 */
public record PlacedHold(HoldId id, long permits, List<String> places) {

    /** How many entries it is in a store. */
    public long entries() {
        return permits * places.size();
    }
}
