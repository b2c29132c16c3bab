package io.headgate.redis.inflight;

import io.headgate.limits.Decision;
import io.headgate.limits.InFlight;
import io.headgate.limits.InFlightCount;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.InFlightRule;
import java.util.ArrayList;
import java.util.List;

/** What is told of what is in flight while Redis can't be asked, by what is held here. */
final class SharedLook {

    private SharedLook() {}

    /** By a share of each rule: what the shares of others may have counts as held. */
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

    /** Where everything may pass: what is held here. */
    static InFlight open(InFlight here) {
        return new InFlight(here.rules(), here.at(), Decision.Basis.OPEN);
    }

    /** Where nothing may pass: as if nothing was free. */
    static InFlight closed(InFlight here) {
        List<InFlightCount> all = here.rules().stream()
                .map(count -> new InFlightCount(
                        count.rule(), Math.max(count.held(), count.rule().permits()), count.nextExpiry()))
                .toList();
        return new InFlight(all, here.at(), Decision.Basis.CLOSED);
    }
}
