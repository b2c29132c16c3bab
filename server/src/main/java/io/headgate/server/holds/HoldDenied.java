package io.headgate.server.holds;

import io.headgate.http.LimitDescriptions;
import io.headgate.http.Problem;
import io.headgate.http.Seconds;
import io.headgate.limits.Hold;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.bans.BanEntry;
import io.headgate.server.bans.BanJson;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The response to a request for a hold that is denied. */
final class HoldDenied {

    private static final String RETRY_AFTER = "Retry-After";
    private static final int BANNED = 403;

    private HoldDenied() {}

    /** The problem, with the held permits of each rule, or with the ban. */
    static Problem of(InFlightPolicy policy, Hold denied, long permits) {
        return denied.ban().map(ban -> banned(policy, denied, ban)).orElseGet(() -> tooMany(policy, denied, permits));
    }

    private static Problem banned(InFlightPolicy policy, Hold denied, BanEntry ban) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("policy", policy.name());
        HoldJson.putBasis(more, denied.inFlight());
        more.put("ban", BanJson.of(ban));
        Problem problem = Problem.banned(ban.timeLeft(denied.inFlight().at()), BANNED);
        return new Problem(problem.type(), problem.title(), problem.status(), problem.detail(), more);
    }

    private static Problem tooMany(InFlightPolicy policy, Hold denied, long permits) {
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
     * The header field {@code Retry-After}: for a banned request, the rest of the ban. For another, the time after which at least one lease of each denying rule has expired, if none is
     * renewed. Most holds are released earlier, and many are renewed. The field is absent if the request needs more permits than a rule
     * has, or the expiry of no lease is known.
     */
    static Map<String, String> fields(Hold denied, long permits) {
        if (denied.ban().isPresent()) {
            return denied.ban()
                    .flatMap(ban -> ban.timeLeft(denied.inFlight().at()))
                    .map(HoldDenied::field)
                    .orElse(Map.of());
        }
        Optional<Duration> longest = violated(denied, permits).stream()
                .flatMap(count -> count.nextExpiry().stream())
                .max(Comparator.naturalOrder());
        return exceededRule(denied, permits).isPresent() || longest.isEmpty() ? Map.of() : field(longest.get());
    }

    private static Map<String, String> field(Duration wait) {
        return Map.of(RETRY_AFTER, String.valueOf(Math.max(1, Seconds.roundedUp(wait))));
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
