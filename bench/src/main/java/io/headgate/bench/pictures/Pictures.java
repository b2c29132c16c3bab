package io.headgate.bench.pictures;

import io.headgate.bench.pictures.Simulation.Lane;
import io.headgate.bench.pictures.Simulation.Traffic;
import io.headgate.limits.CalendarWindow;
import io.headgate.limits.FixedWindow;
import io.headgate.limits.Limit;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All pictures of the guides, by the names of their files. */
final class Pictures {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Pictures() {}

    static SortedMap<String, String> draw() {
        SortedMap<String, String> pictures = new TreeMap<>();
        pictures.put("steady.svg", steady().draw());
        pictures.put("bursts.svg", bursts().draw());
        pictures.put("hammering.svg", hammering().draw());
        pictures.put("leaky-bucket.svg", leakyBucket().draw());
        pictures.put("clock-change.svg", clockChange().draw());
        return pictures;
    }

    static MinutesPicture steady() {
        return new MinutesPicture(
                "Steady traffic, twice the limit",
                "One request every 3 seconds, from second 20 on.",
                10,
                4,
                limitLanes(10),
                new Traffic().every(3, 20, 240).times());
    }

    static MinutesPicture bursts() {
        return new MinutesPicture(
                "A burst before a minute ends, and one after it",
                "One request at second 2, ten from second 49 and ten from second 63, a second apart, then one every 3"
                        + " seconds.",
                10,
                3,
                limitLanes(10),
                new Traffic()
                        .burst(1, 2)
                        .burst(10, 49)
                        .burst(10, 63)
                        .every(3, 75, 180)
                        .times());
    }

    static MinutesPicture hammering() {
        return new MinutesPicture(
                "A client that hammers, pauses, and comes back",
                "One request every 2 seconds for two minutes, nothing for 75 seconds, then one every 2 seconds again.",
                5,
                4,
                limitLanes(5).stream().flatMap(Pictures::withAndWithoutAttempts).toList(),
                new Traffic().every(2, 10, 130).every(2, 205, 240).times());
    }

    static DelayPicture leakyBucket() {
        Duration period = Duration.ofSeconds(4);
        return new DelayPicture(
                "When requests arrive, and when they may proceed",
                "Eight requests from second 2 and three from second 30, a second apart, then one every 2 seconds.",
                80,
                List.of(
                        Lane.of("Token bucket", "6, and 1 every 4 s", Limit.tokenBucket(6, 1, period)),
                        Lane.of("Leaky bucket, a meter", "6, and 1 every 4 s", Limit.leakyBucket(6, 1, period)),
                        Lane.of(
                                "Leaky bucket, a shaper",
                                "6, and 1 every 4 s",
                                Limit.leakyBucket(6, 1, period).shaper())),
                new Traffic().burst(8, 2).burst(3, 30).every(2, 44, 60).times());
    }

    static DaysPicture clockChange() {
        ZoneId berlin = ZoneId.of("Europe/Berlin");
        return new DaysPicture(
                "5 a day, where the clocks change",
                "Requests come every hour. Calendar windows of Europe/Berlin begin at midnight there: the Sunday in March"
                        + " on which clocks go forward is a window of 23 hours, that in October on which they go back"
                        + " one of 25. Fixed windows have 24 hours and begin at midnight UTC: at 1:00 there in winter,"
                        + " at 2:00 in summer. Each window admits its first 5 requests.",
                berlin,
                List.of(LocalDate.of(2025, 3, 30), LocalDate.of(2025, 10, 26)),
                List.of(
                        Lane.of(
                                "Calendar window",
                                "a day in Europe/Berlin",
                                Limit.calendarWindow(5, CalendarWindow.Unit.DAY, berlin)),
                        Lane.of("Fixed window", "24 hours", Limit.fixedWindow(5, Duration.ofDays(1)))));
    }

    /**
     * Lanes without and with counted attempts. Of the fixed windows, only that of the clock has a lane, without counted attempts, which
     * change nothing in a full window; the one from the first request is omitted for space.
     */
    private static Stream<Lane> withAndWithoutAttempts(Lane lane) {
        if (lane.rule().limit() instanceof FixedWindow window) {
            return window.alignment() == FixedWindow.Alignment.CLOCK ? Stream.of(lane) : Stream.empty();
        }
        return Stream.of(lane, lane.countingAttempts());
    }

    private static List<Lane> limitLanes(int permits) {
        return List.of(
                Lane.of("Fixed window", "of the clock", Limit.fixedWindow(permits, MINUTE)),
                Lane.of(
                        "Fixed window",
                        "from the first request",
                        Limit.fixedWindow(permits, MINUTE).fromFirstRequest()),
                Lane.of("Sliding window", "", Limit.slidingWindow(permits, MINUTE)),
                Lane.of("Sliding counter", "", Limit.slidingCounter(permits, MINUTE)),
                Lane.of("Token bucket", "or a leaky one, a meter", Limit.tokenBucket(permits, permits, MINUTE)));
    }
}
