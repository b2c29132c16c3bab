package io.headgate.bench.pictures;

import io.headgate.bench.pictures.Simulation.Lane;
import io.headgate.bench.pictures.Simulation.Request;
import io.headgate.bench.pictures.Svg.Scale;
import io.headgate.bench.pictures.Svg.Strokes;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;

/** A picture of windows of a day around clock changes, with a request every hour, and a lane (a row) for each limit. */
record DaysPicture(String title, String description, ZoneId zone, List<LocalDate> changes, List<Lane> lanes) {

    private static final int WIDTH = 760;
    private static final int LEFT = 196;
    private static final int RIGHT = 744;
    private static final int LANE = 52;
    private static final int DAYS = 3;
    private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("EEE d MMM yyyy", Locale.ENGLISH);
    private static final DateTimeFormatter HOUR = DateTimeFormatter.ofPattern("HH:mm", Locale.ENGLISH);

    String draw() {
        int panel = LANE * lanes.size() + 54;
        Svg svg = new Svg(WIDTH, 74 + panel * changes.size(), title, description);
        legend(svg);
        int top = 80;
        for (LocalDate change : changes) {
            draw(svg, change, top);
            top += panel;
        }
        return svg.end();
    }

    private void legend(Svg svg) {
        svg.path("in", new Strokes().tick(18, 44, 14));
        svg.text("soft", 26, 56, "admitted");
        svg.path("no", new Strokes().tick(98, 52, 6));
        svg.text("soft", 106, 56, "denied");
        svg.rect("band", 162, 44, 22, 14);
        svg.text("soft", 190, 56, "every other window: when it begins in " + zone + ", and its length");
    }

    private void draw(Svg svg, LocalDate change, int top) {
        LocalDate first = change.minusDays(1);
        // An hour more than three days of 24 hours, so that all panels have the same scale.
        long from = micros(first);
        Scale scale = new Scale(from, from + Simulation.micros(Duration.ofHours(DAYS * 24 + 1)), LEFT, RIGHT);
        int bottom = top + LANE * lanes.size();
        for (int i = 0; i < lanes.size(); i++) {
            draw(svg, scale, lanes.get(i), first, top + LANE * i);
        }
        Strokes midnights = new Strokes();
        for (int day = 0; day <= DAYS; day++) {
            double x = scale.x(micros(first.plusDays(day)));
            midnights.tick(x, top - 4, LANE * lanes.size() + 8);
            if (day < DAYS) {
                svg.text("small", x + 3, bottom + 16, DAY.format(first.plusDays(day)));
            }
        }
        svg.path("base", midnights);
        svg.text("small", 16, bottom + 16, "days begin at midnight there");
    }

    private void draw(Svg svg, Scale scale, Lane lane, LocalDate first, int top) {
        svg.text("name", 16, top + 20, lane.name());
        svg.text("soft", 16, top + 36, lane.detail());
        Simulation simulation = Simulation.of(lane.rule(), everyHour(first));
        windows(svg, scale, simulation, top);
        Strokes in = new Strokes();
        Strokes no = new Strokes();
        for (Request one : simulation.requests()) {
            double x = scale.x(one.atMicros()) + 2;
            if (!scale.contains(one.atMicros()) || one.atMicros() >= micros(first.plusDays(DAYS))) {
                continue;
            }
            if (one.allowed()) {
                in.tick(x, top + 24, 14);
            } else {
                no.tick(x, top + 32, 6);
            }
        }
        svg.path("no", no);
        svg.path("in", in);
    }

    /** Draws the windows. Their ends are taken from the decisions, not computed from the calendar again. */
    private void windows(Svg svg, Scale scale, Simulation simulation, int top) {
        TreeSet<Long> ends = new TreeSet<>();
        simulation.requests().forEach(one -> ends.add(one.resetMicros()));
        List<Long> edges = List.copyOf(ends);
        for (int i = 1; i < edges.size(); i++) {
            long begin = edges.get(i - 1);
            long end = edges.get(i);
            if (!scale.contains(begin)) {
                continue;
            }
            double left = scale.x(begin);
            double right = Math.min(scale.x(end), scale.right());
            if (i % 2 == 0) {
                svg.rect("band", left, top + 4, right - left, LANE - 10);
            }
            if (right - left > 120) {
                svg.text("small", left + 4, top + 16, label(begin, end));
            }
        }
    }

    private String label(long beginMicros, long endMicros) {
        Duration length = Duration.ofNanos((endMicros - beginMicros) * 1000);
        return HOUR.format(Instant.ofEpochSecond(beginMicros / 1_000_000).atZone(zone)) + ", " + length.toHours()
                + " hours";
    }

    /** The times of the requests. They start two days before the picture, so that each drawn window has a window before it. */
    private List<Long> everyHour(LocalDate first) {
        List<Long> times = new ArrayList<>();
        long until = micros(first.plusDays(DAYS + 1));
        for (long at = micros(first.minusDays(2)); at < until; at += Simulation.micros(Duration.ofHours(1))) {
            times.add(at);
        }
        return times;
    }

    private long micros(LocalDate day) {
        return day.atStartOfDay(zone).toEpochSecond() * 1_000_000;
    }
}
