package io.headgate.limits.internal;

import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who waits behind one another for the same places. Guarded by its {@link HoldLines}. */
final class HoldLine {

    final List<String> places;
    final ArrayDeque<HoldWait> waits = new ArrayDeque<>();

    /** What the first was told last, or another first before. */
    @Nullable
    DeniedHold lastDenial;

    /** The places that the first sleeps for. */
    List<String> asleepFor = List.of();

    /** Under which number it sleeps. */
    long asleepAs;

    /** Whether something has changed since the first asked, so that its answer may be of before. */
    boolean changed;

    HoldLine(List<String> places) {
        this.places = places;
    }
}
