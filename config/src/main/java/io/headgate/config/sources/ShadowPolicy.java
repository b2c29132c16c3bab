package io.headgate.config.sources;

import io.headgate.config.sources.PolicyPreview.Outcomes;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyPreview.RuleCounts;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.bans.BanRule;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The shadow version of a policy: decides copies of its requests by counts of its own, and counts how the decisions differ.
 *
 * <p>The counts of the shadow version start from zero, so that it denies too few requests at first. When the longest time has passed for
 * which it counts a request, the comparison settles: it starts again from zero, and from then on includes no request from before.
 */
final class ShadowPolicy {

    private final AsyncLimiter limiter;
    private final Policy inForce;
    private final Policy shadow;
    private final CopyQueue copies;
    private final LongSupplier nanoTime;
    private final Start start;
    private final Duration settling;
    private final ReentrantLock settlingLock = new ReentrantLock();
    private volatile Comparison comparison;

    /** When the shadow version started to count. */
    private record Start(long nanos, Instant at) {}

    /** The requests of a policy, or those that a rule denied. */
    private static final class Counts {

        private final LongAdder denied = new LongAdder();
        private final LongAdder wouldBeDenied = new LongAdder();
        private final LongAdder newlyDenied = new LongAdder();
        private final LongAdder newlyAllowed = new LongAdder();
        private final LongAdder incomplete = new LongAdder();

        private void addReal(Decision real, Decision copy) {
            if (real.denied()) {
                denied.increment();
                if (copy.allowed()) {
                    newlyAllowed.increment();
                }
            }
        }

        private void addCopy(Decision real, Decision copy) {
            if (copy.denied()) {
                wouldBeDenied.increment();
                if (real.allowed()) {
                    newlyDenied.increment();
                }
            }
        }

        private Outcomes outcomes() {
            return new Outcomes(denied.sum(), wouldBeDenied.sum(), newlyDenied.sum(), newlyAllowed.sum());
        }
    }

    /** How the decisions of both versions differ, before or after the comparison has settled. */
    private static final class Comparison {

        private final boolean isSettled;
        private final LongAdder requests = new LongAdder();
        private final LongAdder skipped = new LongAdder();
        private final LongAdder failed = new LongAdder();
        private final Counts all = new Counts();
        private final Map<String, Counts> byRule = new LinkedHashMap<>();

        private Comparison(boolean isSettled, Policy inForce, Policy shadow) {
            this.isSettled = isSettled;
            inForce.rules().forEach(rule -> byRule.put(rule.name(), new Counts()));
            shadow.rules().forEach(rule -> byRule.putIfAbsent(rule.name(), new Counts()));
        }

        private void add(Decision real, Decision copy) {
            all.addReal(real, copy);
            all.addCopy(real, copy);
            // A ban or a pause may have started meanwhile, and denies for no rule.
            real.deniedBy().map(byRule::get).ifPresent(rule -> rule.addReal(real, copy));
            copy.deniedBy().map(byRule::get).ifPresent(rule -> rule.addCopy(real, copy));
            requests.increment(); // last: outcomes of requests that are counted must be visible
        }
    }

    /**
     * Creates the shadow version of a policy.
     *
     * @param inForce the version in force
     * @param shadow the shadow version
     * @param limiter decides by the shadow version
     * @param before the same shadow version beside an earlier version in force, whose counts this one continues; null if there is none
     * @param copies receives the copies
     * @param nanoTime the time in nanoseconds, as of {@link System#nanoTime}
     */
    ShadowPolicy(
            Policy inForce,
            Policy shadow,
            Limiter limiter,
            @Nullable ShadowPolicy before,
            CopyQueue copies,
            LongSupplier nanoTime) {
        this.limiter = limiter.async();
        this.inForce = inForce;
        this.shadow = shadow;
        this.copies = copies;
        this.nanoTime = nanoTime;
        this.start = before == null ? new Start(nanoTime.getAsLong(), Instant.now()) : before.start;
        this.settling = settling(shadow);
        this.comparison = new Comparison(isSettled(), inForce, shadow);
    }

    /** The longest time for which a limit or a ban of a policy depends on a request. */
    private static Duration settling(Policy policy) {
        Stream<Duration> limits = Stream.concat(
                        policy.rules().stream().map(Rule::limit),
                        policy.overrides().stream().map(Rule.LimitOverride::limit))
                .map(LimitSize::longestCounted);
        Stream<Duration> bans =
                policy.rules().stream().flatMap(rule -> rule.ban().stream()).map(ShadowPolicy::longest);
        return Stream.concat(limits, bans).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    private static Duration longest(BanRule ban) {
        return ban.within().plusMillis(TimeUnit.MICROSECONDS.toMillis(ban.longestMicros()));
    }

    private boolean isSettled() {
        return TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - start.nanos()) >= settling.toMillis();
    }

    private Comparison comparison() {
        Comparison now = comparison;
        return now.isSettled || !isSettled() ? now : settled();
    }

    private Comparison settled() {
        settlingLock.lock();
        try {
            if (!comparison.isSettled) {
                comparison = new Comparison(true, inForce, shadow);
            }
            return comparison;
        } finally {
            settlingLock.unlock();
        }
    }

    /** Adds a copy of a request that the version in force has decided, unless the limits did not decide it. */
    void copy(Attributes attributes, long permits, Decision real) {
        switch (real.basis()) {
            case COUNTED, CACHED_DENIAL, LEASED, BANNED -> {
                if (real.ban().isEmpty()) {
                    copyCounted(attributes, permits, real);
                }
            }
            case LOCAL_SHARE, OPEN, CLOSED -> comparison().skipped.increment();
            case PAUSED, EXEMPT, SKIPPED -> {
                // Both versions decide such requests in the same way.
            }
        }
    }

    private void copyCounted(Attributes attributes, long permits, Decision real) {
        @Nullable Rule incomplete = incomplete(attributes);
        if (incomplete != null) {
            Comparison now = comparison();
            now.all.incomplete.increment();
            Optional.ofNullable(now.byRule.get(incomplete.name())).ifPresent(rule -> rule.incomplete.increment());
        } else if (!copies.offer(() -> send(PermitRequest.of(attributes).withPermits(permits), real))) {
            comparison().skipped.increment();
        }
    }

    /** Returns the first rule that counts by an attribute that a request lacks; null if there is none. */
    private @Nullable Rule incomplete(Attributes attributes) {
        Map<String, String> values = attributes.asMap();
        for (Rule rule : shadow.rules()) {
            for (String dimension : rule.dimensions()) {
                if (values.getOrDefault(dimension, "").isEmpty()) {
                    return rule;
                }
            }
        }
        return null;
    }

    /** A request that only another policy of a combined request denied is charged by neither version. */
    private void send(PermitRequest copy, Decision real) {
        boolean isUncharged = real.allowed() && real.charged() == 0;
        try {
            CompletionStage<Decision> decided = isUncharged ? limiter.peek(copy) : limiter.tryAcquire(copy);
            decided.whenComplete((decision, failure) -> {
                copies.done();
                if (failure == null) {
                    comparison().add(real, decision);
                } else {
                    fail(failure);
                }
            });
        } catch (RuntimeException e) {
            // The engine is closed.
            copies.done();
            fail(e);
        }
    }

    private void fail(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        Comparison now = comparison();
        (cause instanceof RejectedExecutionException ? now.skipped : now.failed).increment();
    }

    /** Whether the counts of this policy are those of a shadow version. */
    boolean isOf(Policy other) {
        return shadow.equals(other);
    }

    PolicyCounts counts() {
        Comparison now = comparison();
        long requests = now.requests.sum(); // first, as it is counted last
        List<RuleCounts> ofRules = new ArrayList<>();
        now.byRule.forEach(
                (rule, counts) -> ofRules.add(new RuleCounts(rule, counts.outcomes(), counts.incomplete.sum())));
        return new PolicyCounts(
                shadow.name(),
                now.isSettled,
                start.at().plus(settling),
                requests,
                now.all.outcomes(),
                now.all.incomplete.sum(),
                now.skipped.sum(),
                now.failed.sum(),
                ofRules);
    }
}
