package io.headgate.spring.outgoing;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code headgate.outgoing}: which HTTP calls of the application are limited, and by which policies. A property that does
 * not exist fails the start.
 *
 * @param routes Routes, in the order in which they are checked. The first match decides.
 */
@ConfigurationProperties("headgate.outgoing")
public record OutgoingProperties(@DefaultValue List<Route> routes) {

    /**
     * A route: which calls it limits, and by which policy.
     *
     * @param host names of hosts, or {@code *.} and a domain for all hosts below it; empty for all hosts
     * @param path patterns of paths; empty for all paths
     * @param method methods; empty for all methods
     * @param policy the name of the policy, of rate limits or of in-flight limits, or {@code none} to limit nothing
     * @param by the value of each dimension of the policy
     * @param permits the permits of a call, at most 100 of an in-flight policy
     * @param maxWait the longest wait for permits
     * @param maxWaiting the most calls that wait; a further one is denied at once if it would have to wait
     * @param status the status of the exception of a denied call, 400 to 599
     * @param pauseOn the statuses of responses that pause the calls for their Retry-After; by default, 429 if the policy is pausable
     * @param pauseBy the dimensions by which calls are paused; by default, all of the policy
     * @param maxPause the longest pause
     */
    public record Route(
            @DefaultValue List<String> host,
            @DefaultValue List<String> path,
            @DefaultValue List<String> method,
            @Nullable String policy,
            @DefaultValue Map<String, String> by,
            @DefaultValue("1") long permits,
            @DefaultValue("1s") Duration maxWait,
            @DefaultValue("1000") int maxWaiting,
            @DefaultValue("503") int status,
            @Nullable List<Integer> pauseOn,
            @Nullable List<String> pauseBy,
            @DefaultValue("5m") Duration maxPause) {}
}
