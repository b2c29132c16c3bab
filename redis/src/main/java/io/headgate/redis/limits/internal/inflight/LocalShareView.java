package io.headgate.redis.limits.internal.inflight;

import io.headgate.limits.Decision;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.util.ArrayList;
import java.util.List;

/** Reports what is in flight while Redis does not reply, from the holds of this instance. */
final class LocalShareView {

    private LocalShareView() {}

    /** By a share of each rule: the shares of other instances count as held. */
    static InFlight byShare(InFlightPolicy policy, InFlight ofShare) {
        List<InFlightCount> counts = new ArrayList<>();
        for (int i = 0; i < policy.rules().size(); i++) {
            InFlightRule whole = policy.rules().get(i);
            InFlightCount share = ofShare.rules().get(i);
            long others = whole.permits() - share.rule().permits();
            counts.add(new InFlightCount(whole, others + share.held(), share.nextExpiry()));
        }
        return new InFlight(counts, ofShare.at(), Decision.Basis.LOCAL_SHARE);
    }

    /** When every request is allowed: the holds of this instance. */
    static InFlight open(InFlight local) {
        return new InFlight(local.rules(), local.at(), Decision.Basis.OPEN);
    }

    /** When every request is denied: as if no permit was free. */
    static InFlight closed(InFlight local) {
        List<InFlightCount> all = local.rules().stream()
                .map(count -> new InFlightCount(
                        count.rule(), Math.max(count.held(), count.rule().permits()), count.nextExpiry()))
                .toList();
        return new InFlight(all, local.at(), Decision.Basis.CLOSED);
    }
}
