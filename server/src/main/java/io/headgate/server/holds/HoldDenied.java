package io.headgate.server.holds;

import io.headgate.http.LimitDescriptions;
import io.headgate.http.Problem;
import io.headgate.http.Seconds;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The response to a request for a hold that is denied. */
final class HoldDenied {

    private static final String RETRY_AFTER = "Retry-After";

    private HoldDenied() {}

    /** The problem, with the held permits of each rule. */
    static Problem of(InFlightPolicy policy, Hold denied, long permits) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("policy", policy.name());
        more.put(
                "violated-policies",
                violated(denied, permits).stream()
                        .map(count -> count.rule().name())
                        .toList());
        HoldJson.putBasis(more, denied.inFlight());
        more.put("rules", HoldJson.rules(denied.inFlight()));
        InFlightRule by = denied.deniedBy().orElseThrow();
        return new Problem(Problem.QUOTA_EXCEEDED, "Quota exceeded", 429, detail(by, denied, permits), more);
    }

    private static String detail(InFlightRule by, Hold denied, long permits) {
        Optional<InFlightRule> exceeded = exceededRule(denied, permits);
        if (exceeded.isPresent()) {
            return held(exceeded.get(), denied) + "A request for this many permits is never admitted; request fewer.";
        }
        return switch (denied.inFlight().basis()) {
            case CLOSED -> "Redis does not reply, and no permits are available until it does.";
            case LOCAL_SHARE ->
                "Redis does not reply, and this server's share of rule " + by.name() + " (" + LimitDescriptions.of(by)
                        + ") has too few free permits.";
            default -> held(by, denied) + "Retry when permits are released.";
        };
    }

    private static String held(InFlightRule by, Hold denied) {
        return "Rule " + by.name() + " has " + LimitDescriptions.of(by) + ", and "
                + denied.inFlight().rule(by.name()).held() + " are held. ";
    }

    /**
     * The header field {@code Retry-After}: the time after which at least one lease of each denying rule has expired, if none is
     * renewed. Most holds are released earlier, and many are renewed. The field is absent if the request needs more permits than a rule
     * has, or the expiry of no lease is known.
     */
    static Map<String, String> fields(Hold denied, long permits) {
        Optional<Duration> longest = violated(denied, permits).stream()
                .flatMap(count -> count.nextExpiry().stream())
                .max(Comparator.naturalOrder());
        return exceededRule(denied, permits).isPresent() || longest.isEmpty()
                ? Map.of()
                : Map.of(RETRY_AFTER, String.valueOf(Math.max(1, Seconds.roundedUp(longest.get()))));
    }

    /** The first rule that has fewer permits than the request needs, which may be another than the one that denied it. */
    private static Optional<InFlightRule> exceededRule(Hold denied, long permits) {
        return denied.inFlight().rules().stream()
                .map(InFlightCount::rule)
                .filter(rule -> rule.permits() < permits)
                .findFirst();
    }

    private static List<InFlightCount> violated(Hold denied, long permits) {
        return denied.inFlight().rules().stream()
                .filter(count -> count.free() < permits)
                .toList();
    }
}
