package io.headgate.redis.limits;

import static net.jqwik.api.Arbitraries.integers;
import static net.jqwik.api.Arbitraries.longs;

import io.headgate.limits.CalendarWindow;
import io.headgate.limits.CalendarWindow.Unit;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.FixedWindow.Alignment;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.LeakyBucket.Mode;
import io.headgate.limits.Limit;
import io.headgate.limits.Limiter;
import io.headgate.limits.PermitRequest;
import io.headgate.limits.Policy;
import io.headgate.limits.Rule;
import io.headgate.limits.SlidingCounter;
import io.headgate.limits.SlidingWindow;
import io.headgate.limits.TokenBucket;
import io.headgate.testkit.ManualClock;
import io.headgate.testkit.RedisServer;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;

/**
 * Two engines with different versions of a policy decide on the same key of a real Redis, in a random order at random times. No more
 * passes than docs/configuration.md states for each kind of limit. {@link TwoVersionsAtMostIT} shows that so much can pass.
 */
class TwoVersionsIT {

    private static final RedisServer REDIS = RedisServer.shared();
    private static final String RUN = UUID.randomUUID().toString().substring(0, 8);
    private static final AtomicLong HISTORIES = new AtomicLong();
    private static final long DAY_MICROS = 86_400_000_000L;

    private static final ManualClock CLOCK = ManualClock.at(Instant.parse("2026-11-21T12:00:00Z"));
    private static final List<RedisLimitEngine> ENGINES = List.of(engine(), engine());

    /**
     * A request.
     *
     * @param version the version that decides it: 0 or 1
     * @param pause the time since the request before it, in 64ths of the shorter length
     */
    record Request(int version, long permits, long pause) {}

    /** Two versions of a limit. */
    record Versions<T extends Limit>(T first, T second) {

        long larger() {
            return Math.max(first.permits(), second.permits());
        }
    }

    /** Without cached denials, so that Redis decides each request. */
    private static RedisLimitEngine engine() {
        return Engines.builder(Engines.settings(REDIS.url()).withKeyPrefix("versions"))
                .maxCachedDenials(0)
                .time(CLOCK)
                .build();
    }

    @AfterContainer
    static void close() {
        ENGINES.forEach(RedisLimitEngine::close);
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void fixed_windows_admit_the_larger_limit_between_two_ends_of_their_windows(
            @ForAll("fixedWindows") Versions<FixedWindow> versions,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        long first = micros(versions.first().window());
        long second = micros(versions.second().window());
        passed(versions, requests, Math.min(first, second), attempts)
                .requireAtMost(versions.larger(), at -> List.of(at / first, at / second));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void fixed_windows_from_the_first_request_restart_once_in_the_shorter_length(
            @ForAll("windowsFromFirstRequest") Versions<FixedWindow> versions,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        long shorter = shorter(versions.first().window(), versions.second().window());
        PassedRequests passed = passed(versions, requests, shorter, attempts);
        LongStream.rangeClosed(1, 12)
                .forEach(times -> passed.requireAtMostInAny(times * shorter, (times + 1) * versions.larger()));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void calendar_windows_admit_the_larger_limit_between_two_ends_of_their_periods(
            @ForAll("calendarWindows") Versions<CalendarWindow> versions,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        passed(versions, requests, DAY_MICROS, attempts)
                .requireAtMost(
                        versions.larger(),
                        at -> List.of(periodStart(versions.first(), at), periodStart(versions.second(), at)));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void sliding_windows_admit_the_larger_limit_in_any_shorter_window_and_each_version_its_own_limit(
            @ForAll("slidingWindows") Versions<SlidingWindow> versions,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        long first = micros(versions.first().window());
        long second = micros(versions.second().window());
        PassedRequests passed = passed(versions, requests, Math.min(first, second), attempts);
        passed.requireAtMostInAny(Math.min(first, second), versions.larger());
        passed.of(0).requireAtMostInAny(first, versions.first().permits());
        passed.of(1).requireAtMostInAny(second, versions.second().permits());
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void sliding_counters_admit_the_larger_limit_between_two_ends_of_their_windows(
            @ForAll("slidingCounters") Versions<SlidingCounter> versions,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        long first = micros(versions.first().window());
        long second = micros(versions.second().window());
        PassedRequests passed = passed(versions, requests, Math.min(first, second), attempts);
        passed.requireAtMost(versions.larger(), at -> List.of(at / first, at / second));
        if (Math.max(first, second) % Math.min(first, second) == 0) {
            passed.requireAtMostInAny(Math.min(first, second), 2 * versions.larger() - 1);
        }
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void token_buckets_admit_what_one_with_the_larger_capacity_and_the_faster_rate_admits(
            @ForAll("tokenBuckets") Versions<TokenBucket> versions,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        TokenBucket faster = faster(versions.first(), versions.second());
        passed(
                        versions,
                        requests,
                        shorter(
                                versions.first().refillPeriod(),
                                versions.second().refillPeriod()),
                        attempts)
                .requireAtMostOfBucket(versions.larger(), faster.refillPermits(), micros(faster.refillPeriod()));
    }

    @Property(edgeCases = EdgeCasesMode.NONE)
    void leaky_buckets_admit_what_one_with_the_larger_capacity_and_the_faster_rate_admits(
            @ForAll("tokenBuckets") Versions<TokenBucket> buckets,
            @ForAll Mode mode,
            @ForAll("requests") List<Request> requests,
            @ForAll boolean attempts) {
        Versions<LeakyBucket> versions =
                new Versions<>(leaky(buckets.first(), Mode.METER), leaky(buckets.second(), mode));
        TokenBucket faster = faster(buckets.first(), buckets.second());
        passed(
                        versions,
                        requests,
                        shorter(buckets.first().refillPeriod(), buckets.second().refillPeriod()),
                        attempts)
                .requireAtMostOfBucket(versions.larger(), faster.refillPermits(), micros(faster.refillPeriod()));
    }

    /** Sends each request to the engine of its version, one history at a time, because all share a clock. */
    private static synchronized PassedRequests passed(
            Versions<?> versions, List<Request> requests, long lengthMicros, boolean attempts) {
        String name = "p-" + RUN + "-" + HISTORIES.incrementAndGet();
        List<Limiter> limiters = List.of(
                ENGINES.get(0).limiter(policy(name, versions.first(), attempts)),
                ENGINES.get(1).limiter(policy(name, versions.second(), attempts)));
        PassedRequests passed = PassedRequests.none();
        for (Request request : requests) {
            CLOCK.advance(Duration.of(request.pause() * lengthMicros / 64, ChronoUnit.MICROS));
            PermitRequest permits = PermitRequest.global().withPermits(request.permits());
            if (limiters.get(request.version()).tryAcquire(permits).allowed()) {
                passed.add(request.version(), request.permits(), CLOCK.nowMicros());
            }
        }
        return passed;
    }

    private static Policy policy(String name, Limit limit, boolean attempts) {
        Rule rule = Rule.of("limit", limit);
        return Policy.named(name)
                .rule(attempts ? rule.countingAttempts() : rule)
                .build();
    }

    @Provide
    Arbitrary<List<Request>> requests() {
        Arbitrary<Long> pauses = Arbitraries.frequencyOf(
                Tuple.of(4, Arbitraries.just(0L)),
                Tuple.of(4, longs().between(0, 12)),
                Tuple.of(1, longs().between(0, 160)));
        Arbitrary<Long> permits =
                Arbitraries.frequencyOf(Tuple.of(3, Arbitraries.just(1L)), Tuple.of(1, longs().between(1, 5)));
        // Long runs of one version, so that what it stores for itself alone is tested, too.
        Arbitrary<Integer> version =
                Arbitraries.oneOf(integers().between(0, 1), Arbitraries.just(0), Arbitraries.just(1));
        return Combinators.combine(version, permits, pauses)
                .as(Request::new)
                .list()
                .ofMinSize(20)
                .ofMaxSize(120);
    }

    private static <T extends Limit> Arbitrary<Versions<T>> two(Arbitrary<T> one) {
        return Combinators.combine(one, one).as(Versions::new);
    }

    private static Arbitrary<Long> permits() {
        return longs().between(1, 12);
    }

    private static Arbitrary<Duration> lengths() {
        return Arbitraries.of(1, 2, 3, 6, 10, 200).map(Duration::ofMillis);
    }

    @Provide
    Arbitrary<Versions<FixedWindow>> fixedWindows() {
        return two(Combinators.combine(permits(), lengths(), Arbitraries.just(Alignment.CLOCK))
                .as(FixedWindow::new));
    }

    @Provide
    Arbitrary<Versions<FixedWindow>> windowsFromFirstRequest() {
        return two(Combinators.combine(permits(), lengths(), Arbitraries.just(Alignment.FIRST_REQUEST))
                .as(FixedWindow::new));
    }

    @Provide
    Arbitrary<Versions<CalendarWindow>> calendarWindows() {
        Arbitrary<ZoneId> zones =
                Arbitraries.of("UTC", "America/New_York", "+05:45").map(ZoneId::of);
        return two(Combinators.combine(permits(), Arbitraries.of(Unit.values()), zones)
                .as(CalendarWindow::new));
    }

    @Provide
    Arbitrary<Versions<SlidingWindow>> slidingWindows() {
        return two(Combinators.combine(permits(), lengths()).as(SlidingWindow::new));
    }

    @Provide
    Arbitrary<Versions<SlidingCounter>> slidingCounters() {
        return two(Combinators.combine(permits(), lengths()).as(SlidingCounter::new));
    }

    @Provide
    Arbitrary<Versions<TokenBucket>> tokenBuckets() {
        return two(
                Combinators.combine(permits(), longs().between(1, 9), lengths()).as(TokenBucket::new));
    }

    private static LeakyBucket leaky(TokenBucket bucket, Mode mode) {
        return new LeakyBucket(bucket.capacity(), bucket.refillPermits(), bucket.refillPeriod(), mode);
    }

    private static TokenBucket faster(TokenBucket first, TokenBucket second) {
        return first.refillPermits() * micros(second.refillPeriod())
                        > second.refillPermits() * micros(first.refillPeriod())
                ? first
                : second;
    }

    private static LocalDate periodStart(CalendarWindow window, long atMicros) {
        LocalDate day = LocalDate.ofInstant(Instant.EPOCH.plus(atMicros, ChronoUnit.MICROS), window.zone());
        return switch (window.unit()) {
            case DAY -> day;
            case WEEK -> day.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> day.withDayOfMonth(1);
        };
    }

    private static long shorter(Duration one, Duration another) {
        return Math.min(micros(one), micros(another));
    }

    private static long micros(Duration duration) {
        return duration.toNanos() / 1000;
    }
}
