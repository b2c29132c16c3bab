package io.headgate.server.holds;

import io.headgate.http.Seconds;
import io.headgate.limits.Decision;
import io.headgate.limits.Hold;
import io.headgate.limits.HoldTicket;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Words;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Holds in the JSON API. Members that do not apply are absent; durations are seconds, exact to the microsecond. */
final class HoldJson {

    private HoldJson() {}

    /** The members for a hold that was taken. */
    static Map<String, Object> taken(InFlightPolicy policy, Hold hold, Duration lease) {
        Map<String, Object> members = of(policy);
        members.put("hold", hold.ticket().map(HoldTicket::text).orElseThrow());
        members.put("leaseSeconds", Seconds.exact(lease));
        policy.atMost()
                .ifPresent(longest ->
                        members.put("endsAt", Instants.of(hold.inFlight().at().plus(longest))));
        putCounts(members, hold.inFlight());
        return members;
    }

    /** The members for a hold that was renewed. */
    static Map<String, Object> renewed(InFlightPolicy policy, HoldTicket hold, Duration lease) {
        Map<String, Object> members = of(policy);
        members.put("renewed", true);
        members.put("leaseSeconds", Seconds.exact(lease));
        hold.endsAt().ifPresent(end -> members.put("endsAt", Instants.of(end)));
        return members;
    }

    /**
     * The members for a release.
     *
     * @param held whether the hold was released; false if it had expired or was released before
     */
    static Map<String, Object> released(InFlightPolicy policy, boolean held) {
        Map<String, Object> members = of(policy);
        members.put("released", held);
        return members;
    }

    /** The held and free permits. */
    static Map<String, Object> peeked(InFlightPolicy policy, InFlight inFlight) {
        Map<String, Object> members = of(policy);
        members.put("free", inFlight.free());
        putCounts(members, inFlight);
        return members;
    }

    private static Map<String, Object> of(InFlightPolicy policy) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("policy", policy.name());
        return members;
    }

    private static void putCounts(Map<String, Object> members, InFlight inFlight) {
        members.put("decidedAt", Instants.of(inFlight.at()));
        putBasis(members, inFlight);
        members.put("rules", rules(inFlight));
    }

    /** Adds the basis (whether the store or a fallback decided), unless it is the usual one: the counts of the store. */
    static void putBasis(Map<String, Object> members, InFlight inFlight) {
        if (inFlight.basis() != Decision.Basis.COUNTED) {
            members.put("basis", Words.hyphenated(inFlight.basis()));
        }
    }

    /** The held and free permits of each rule. */
    static List<Map<String, Object>> rules(InFlight inFlight) {
        return inFlight.rules().stream().map(HoldJson::of).toList();
    }

    private static Map<String, Object> of(InFlightCount count) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("rule", count.rule().name());
        members.put("limit", count.rule().permits());
        members.put("held", count.held());
        members.put("free", count.free());
        count.nextExpiry().ifPresent(time -> members.put("nextExpirySeconds", Seconds.exact(time)));
        return members;
    }
}
