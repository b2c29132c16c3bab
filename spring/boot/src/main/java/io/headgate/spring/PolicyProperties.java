package io.headgate.spring;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.Colocation;
import io.headgate.limits.Fallback;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.LeakyBucket;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The keys of a policy in {@code headgate.policies}, from which editors complete them: this is the type of the policies in the metadata of
 * properties. Headgate reads policies itself, as it reads policy files, so that no instance exists.
 *
 * @param rules Rules by name: 1 to 16, of rate limits or of in-flight limits.
 * @param colocate Whether the keys of a policy share a slot of a Redis Cluster.
 * @param lease Longest time for which permits are leased, or auto; of an in-flight policy, how long holds of a dead process last.
 * @param pausable Whether requests can be paused.
 * @param fallback What decides while Redis does not reply; by default, headgate.redis.fallback.
 * @param budget Longest time of a decision; with fallback.
 * @param atMost Time after which an in-flight hold ends.
 */
public record PolicyProperties(
        Map<String, RuleKeys> rules,
        Colocation colocate,
        String lease,
        boolean pausable,
        Fallback.Mode fallback,
        Duration budget,
        Duration atMost) {

    /**
     * The keys of a rule, of which one is a kind of limit.
     *
     * @param by Dimensions by which the rule counts; without one, all requests count together.
     * @param countAttempts Whether denied requests count as well.
     * @param shadow Whether the rule decides and counts, but never denies.
     * @param ban When the rule bans an id that it keeps denying: after, within, for, and doubling-up-to.
     * @param overrides Other limits for some requests.
     * @param tokenBucket Permits that are refilled continuously, up to a capacity.
     * @param leakyBucket Requests that leak out continuously, up to a capacity.
     * @param slidingWindow Permits in any window, exactly.
     * @param slidingCounter Permits in any window, by an estimate that needs less memory.
     * @param fixedWindow Permits in each window.
     * @param calendarWindow Permits in each day, week or month of a time zone.
     * @param inFlight Permits that are held at the same time.
     */
    public record RuleKeys(
            List<String> by,
            boolean countAttempts,
            boolean shadow,
            Map<String, String> ban,
            List<OverrideKeys> overrides,
            TokenBucketKeys tokenBucket,
            LeakyBucketKeys leakyBucket,
            WindowKeys slidingWindow,
            WindowKeys slidingCounter,
            FixedWindowKeys fixedWindow,
            CalendarWindowKeys calendarWindow,
            InFlightKeys inFlight) {}

    /**
     * The keys of an override, of which one is a kind of limit: that of the rule.
     *
     * @param when Values of attributes that a request must have.
     * @param tokenBucket Permits that are refilled continuously, up to a capacity.
     * @param leakyBucket Requests that leak out continuously, up to a capacity.
     * @param slidingWindow Permits in any window, exactly.
     * @param slidingCounter Permits in any window, by an estimate that needs less memory.
     * @param fixedWindow Permits in each window.
     * @param calendarWindow Permits in each day, week or month of a time zone.
     */
    public record OverrideKeys(
            Map<String, String> when,
            TokenBucketKeys tokenBucket,
            LeakyBucketKeys leakyBucket,
            WindowKeys slidingWindow,
            WindowKeys slidingCounter,
            FixedWindowKeys fixedWindow,
            CalendarWindowKeys calendarWindow) {}

    /**
     * The keys of a token bucket.
     *
     * @param capacity Permits of a full bucket.
     * @param refill Rate, such as 10 per 1s.
     */
    public record TokenBucketKeys(long capacity, String refill) {}

    /**
     * The keys of a leaky bucket.
     *
     * @param capacity Requests of a full bucket.
     * @param leak Rate, such as 10 per 1s.
     * @param mode Whether requests that fit are admitted at once, or delayed so that they are evenly spaced.
     */
    public record LeakyBucketKeys(long capacity, String leak, LeakyBucket.Mode mode) {}

    /**
     * The keys of a sliding window.
     *
     * @param permits Permits of a window.
     * @param window Length of the window.
     */
    public record WindowKeys(long permits, Duration window) {}

    /**
     * The keys of a fixed window.
     *
     * @param permits Permits of a window.
     * @param window Length of the window.
     * @param align Where windows begin.
     */
    public record FixedWindowKeys(long permits, Duration window, FixedWindow.Alignment align) {}

    /**
     * The keys of a calendar window.
     *
     * @param permits Permits of a window.
     * @param per Length of the window: a day, a week from Monday, or a month.
     * @param zone Time zone, such as Europe/Berlin.
     */
    public record CalendarWindowKeys(long permits, CalendarWindow.Unit per, String zone) {}

    /**
     * The keys of an in-flight limit.
     *
     * @param permits Most permits that are held at the same time.
     */
    public record InFlightKeys(long permits) {}
}
