package io.headgate.config;

import io.headgate.config.internal.yaml.Choices;
import io.headgate.config.internal.yaml.Fields;
import io.headgate.config.internal.yaml.Problems;
import io.headgate.config.internal.yaml.Scalars;
import io.headgate.config.internal.yaml.Yaml;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.FixedWindow.Alignment;
import io.headgate.limits.InFlightRule;
import io.headgate.limits.LeakyBucket;
import io.headgate.limits.Limit;
import io.headgate.limits.TokenBucket;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongConsumer;

/**
 * Reads the limit of a rule. The API checks the ranges, not this class: each value is passed to a constructor together with valid other
 * values, so that the error names the wrong value.
 */
final class LimitReader {

    /** A valid limit that replaces one that could not be read. */
    static final Limit STAND_IN = new FixedWindow(1, Duration.ofSeconds(1), Alignment.CLOCK);

    private static final Duration STAND_IN_PERIOD = Duration.ofMillis(1);

    private final Problems problems;
    private final Map<String, Function<Yaml.Entry, Limit>> kinds = new LinkedHashMap<>();

    LimitReader(Problems problems) {
        this.problems = problems;
        kinds.put("token-bucket", this::tokenBucket);
        kinds.put("leaky-bucket", this::leakyBucket);
        kinds.put("sliding-window", this::slidingWindow);
        kinds.put("sliding-counter", this::slidingCounter);
        kinds.put("fixed-window", this::fixedWindow);
        kinds.put("calendar-window", this::calendarWindow);
    }

    /** The keys of all kinds of limits, including in-flight limits. */
    List<String> keys() {
        List<String> keys = new ArrayList<>(kinds.keySet());
        keys.add(PolicyKind.IN_FLIGHT);
        return keys;
    }

    /** The keys of rate limits. */
    List<String> countedKeys() {
        return List.copyOf(kinds.keySet());
    }

    /** Returns the first rate limit among these fields, in the order of {@link #countedKeys}. */
    Optional<Yaml.Entry> entry(Fields fields) {
        return kinds.keySet().stream()
                .flatMap(key -> fields.optional(key).stream())
                .findFirst();
    }

    /** Returns the limit of a rule in a policy of rate limits; records a problem unless it is the only one. */
    Limit limit(Fields rule, PolicyKind kind) {
        List<Yaml.Entry> found = new ArrayList<>();
        Limit limit = STAND_IN;
        for (Map.Entry<String, Function<Yaml.Entry, Limit>> one : kinds.entrySet()) {
            Optional<Yaml.Entry> entry = rule.optional(one.getKey());
            if (entry.isPresent()) {
                found.add(entry.get());
                limit = one.getValue().apply(entry.get());
            }
        }
        if (found.isEmpty()) {
            rule.optional(PolicyKind.IN_FLIGHT)
                    .ifPresentOrElse(other -> kind.noteOther(other.key(), problems), () -> noteNone(rule, keys()));
        } else {
            rule.optional(PolicyKind.IN_FLIGHT).ifPresent(found::add);
        }
        noteMoreThanOne(found);
        return limit;
    }

    /** Returns the permits of a rule in a policy of in-flight limits; records a problem unless its limit is the only one. */
    long inFlight(Fields rule, PolicyKind kind) {
        Optional<Yaml.Entry> given = rule.optional(PolicyKind.IN_FLIGHT);
        List<Yaml.Entry> others = new ArrayList<>();
        kinds.keySet().forEach(other -> rule.optional(other).ifPresent(others::add));
        if (given.isEmpty()) {
            others.forEach(other -> kind.noteOther(other.key(), problems));
            if (others.isEmpty()) {
                noteNone(rule, List.of(PolicyKind.IN_FLIGHT));
            }
            return 0;
        }
        others.add(given.get());
        noteMoreThanOne(others);
        Fields fields = Fields.of(given.get(), List.of("permits"), problems);
        return permits(fields.required("permits"), n -> InFlightRule.of("tried", n));
    }

    private static void noteNone(Fields rule, List<String> allowed) {
        rule.noteMissing(allowed, "has no limit; it needs " + Choices.of(allowed));
    }

    private void noteMoreThanOne(List<Yaml.Entry> found) {
        found.sort(Comparator.comparing(Yaml.Entry::key));
        found.stream()
                .skip(1)
                .forEach(second -> problems.add(
                        second.key(),
                        "is a second limit; a rule has one, and the first is "
                                + found.get(0).key().reference()));
    }

    private Limit tokenBucket(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of("capacity", "refill"), problems);
        long capacity = permits(fields.required("capacity"), n -> Limit.tokenBucket(n, 1, STAND_IN_PERIOD));
        Scalars.Rate refill = rate(fields.required("refill").value());
        return problems.made(
                entry.value(),
                entry.key(),
                STAND_IN,
                () -> new TokenBucket(capacity, refill.permits(), refill.period()));
    }

    private Limit leakyBucket(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of("capacity", "leak", "mode"), problems);
        long capacity = permits(fields.required("capacity"), n -> Limit.leakyBucket(n, 1, STAND_IN_PERIOD));
        Scalars.Rate leak = rate(fields.required("leak").value());
        LeakyBucket.Mode mode = fields.optional("mode")
                .map(given -> Choices.read(given.value(), LeakyBucket.Mode.values(), problems))
                .orElse(LeakyBucket.Mode.METER);
        return problems.made(
                entry.value(),
                entry.key(),
                STAND_IN,
                () -> new LeakyBucket(capacity, leak.permits(), leak.period(), mode));
    }

    private Limit slidingWindow(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of("permits", "window"), problems);
        long permits = permits(fields.required("permits"), n -> Limit.slidingWindow(n, STAND_IN_PERIOD));
        Duration window = window(fields.required("window"));
        return problems.made(entry.value(), entry.key(), STAND_IN, () -> Limit.slidingWindow(permits, window));
    }

    private Limit slidingCounter(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of("permits", "window"), problems);
        long permits = permits(fields.required("permits"), n -> Limit.slidingCounter(n, STAND_IN_PERIOD));
        Duration window = window(fields.required("window"));
        return problems.made(entry.value(), entry.key(), STAND_IN, () -> Limit.slidingCounter(permits, window));
    }

    private Limit fixedWindow(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of("permits", "window", "align"), problems);
        long permits = permits(fields.required("permits"), n -> Limit.fixedWindow(n, STAND_IN_PERIOD));
        Duration window = window(fields.required("window"));
        Alignment alignment = fields.optional("align")
                .map(align -> Choices.read(align.value(), Alignment.values(), problems))
                .orElse(Alignment.CLOCK);
        return problems.made(entry.value(), entry.key(), STAND_IN, () -> new FixedWindow(permits, window, alignment));
    }

    private Limit calendarWindow(Yaml.Entry entry) {
        Fields fields = Fields.of(entry, List.of("permits", "per", "zone"), problems);
        long permits = permits(
                fields.required("permits"), n -> Limit.calendarWindow(n, CalendarWindow.Unit.DAY, ZoneOffset.UTC));
        CalendarWindow.Unit unit = Choices.read(fields.required("per").value(), CalendarWindow.Unit.values(), problems);
        ZoneId zone = Zones.read(fields.required("zone").value(), problems);
        return problems.made(entry.value(), entry.key(), STAND_IN, () -> Limit.calendarWindow(permits, unit, zone));
    }

    private long permits(Yaml.Entry entry, LongConsumer tried) {
        Yaml value = entry.value();
        return parsed(value, "a whole number such as 100 or 10_000", Scalars::number)
                .filter(n -> problems.accepted(value, "", () -> tried.accept(n)))
                .orElse(0L);
    }

    private Duration window(Yaml.Entry entry) {
        Yaml value = entry.value();
        return parsed(value, "a duration such as 250ms, 30s, 1m, 12h, 7d or PT1M", Scalars::duration)
                .filter(window -> problems.accepted(value, "", () -> Limit.slidingWindow(0, window)))
                .orElse(STAND_IN_PERIOD);
    }

    private Scalars.Rate rate(Yaml value) {
        return parsed(value, "permits per duration such as 1000 per 1s", Scalars::rate)
                .filter(rate -> problems.accepted(
                        value, "permits ", () -> Limit.tokenBucket(0, rate.permits(), STAND_IN_PERIOD)))
                .filter(rate -> problems.accepted(value, "period ", () -> Limit.tokenBucket(0, 1, rate.period())))
                .orElse(new Scalars.Rate(1, STAND_IN_PERIOD));
    }

    private <T> Optional<T> parsed(Yaml value, String expected, Function<String, Optional<T>> parse) {
        Optional<T> parsed = value instanceof Yaml.Scalar scalar ? parse.apply(scalar.text()) : Optional.empty();
        if (parsed.isEmpty()) {
            problems.wrong(value, expected);
        }
        return parsed;
    }
}
