package io.headgate.limits.internal.inflight;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The requests that wait for the same places, in order of arrival. Guarded by its {@link HoldLines}. */
final class HoldLine {

    final List<String> places;
    final ArrayDeque<HoldWait> waits = new ArrayDeque<>();

    /** The last denial of the first, or of an earlier first. */
    @Nullable
    DeniedHold lastDenial;

    /** The places whose release wakes the first. */
    List<String> asleepFor = List.of();

    /** The number under which it sleeps. */
    long asleepAs;

    /** Whether something has changed since the attempt of the first was sent. */
    boolean changed;

    HoldLine(List<String> places) {
        this.places = places;
    }
}
