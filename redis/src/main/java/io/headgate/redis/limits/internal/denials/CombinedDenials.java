package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.internal.decision.EngineDecisions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Decides requests to several policies by the cached denials of each. */
public final class CombinedDenials {

    private CombinedDenials() {}

    /**
     * Returns the decision of each policy on a request to several policies if a cached denial of any policy denies it; empty if the request
     * must be sent to Redis. A policy without a cached denial is {@linkplain Decision.Basis#SKIPPED skipped}.
     *
     * @param views the denials of each policy, none of which counts attempts
     * @param nowMicros the time by the clock of this process or by that of the application
     */
    public static List<Decision> findAny(
            List<DenialCache.View> views, List<Attributes> attributes, List<Long> permits, long nowMicros) {
        List<@Nullable Denial> denials = new ArrayList<>(views.size());
        long decidedAtMicros = 0;
        boolean isDue = false;
        for (int i = 0; i < views.size(); i++) {
            DenialCache.View view = views.get(i);
            Denial denial = view.longest(attributes.get(i), permits.get(i), nowMicros);
            denials.add(denial);
            if (denial == null && view.isNeverAdmitted(permits.get(i))) {
                return List.of();
            }
            if (denial != null) {
                decidedAtMicros = Math.max(decidedAtMicros, denial.decidedAtMicros(nowMicros));
                // Without a short circuit: a request that is sent to Redis checks all of these denials.
                isDue |= denial.check().isDue(nowMicros);
            }
        }
        // 0: no policy has a cached denial.
        if (decidedAtMicros == 0 || isDue) {
            return List.of();
        }
        List<Decision> decisions = new ArrayList<>(views.size());
        for (int i = 0; i < views.size(); i++) {
            Denial denial = denials.get(i);
            decisions.add(
                    denial == null
                            ? EngineDecisions.skipped(views.get(i).policy(), decidedAtMicros)
                            : views.get(i).decision(denial, nowMicros));
        }
        return decisions;
    }

    /**
     * Returns the decision of each policy on a request to several policies that can't be sent to Redis, if a cached ban of any policy denies
     * it; else empty. A policy without one is {@linkplain Decision.Basis#SKIPPED skipped}.
     */
    public static List<Decision> findBans(
            List<DenialCache.View> views, List<Attributes> attributes, List<Long> permits, long nowMicros) {
        List<@Nullable Decision> bans = IntStream.range(0, views.size())
                .mapToObj(i -> views.get(i).findBan(attributes.get(i), permits.get(i), nowMicros))
                .toList();
        OptionalLong decidedAtMicros = bans.stream()
                .filter(Objects::nonNull)
                .mapToLong(Decision::decidedAtMicros)
                .max();
        if (decidedAtMicros.isEmpty()) {
            return List.of();
        }
        List<Decision> decisions = new ArrayList<>(views.size());
        for (int i = 0; i < views.size(); i++) {
            Decision ban = bans.get(i);
            decisions.add(
                    ban != null ? ban : EngineDecisions.skipped(views.get(i).policy(), decidedAtMicros.getAsLong()));
        }
        return decisions;
    }
}
