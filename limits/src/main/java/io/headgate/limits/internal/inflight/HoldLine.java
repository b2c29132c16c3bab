package io.headgate.limits.internal.inflight;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for holds in the same places, in order of arrival. A place is a rule with the ids that it counts, as in {@link
 * HoldStore}. Guarded by the lock of its {@link HoldLines}.
 */
final class HoldLine {

    final List<String> places;
    final ArrayDeque<HoldWait> waits = new ArrayDeque<>();

    /** The last denial in this line: of the first request, or of one that was first before it. Null before the first denial. */
    @Nullable
    DeniedHold lastDenial;

    /** The places in which a release wakes the first request. Empty while it does not sleep. */
    List<String> asleepFor = List.of();

    /** The order of arrival of the sleeping first request, which is its key in {@link HoldLines}. */
    long asleepAs;

    /** Whether permits were released, or the policy was changed, since the attempt of the first request was sent. */
    boolean changed;

    HoldLine(List<String> places) {
        this.places = places;
    }
}
