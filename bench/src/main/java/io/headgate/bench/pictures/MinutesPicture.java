package io.headgate.bench.pictures;

import io.headgate.bench.pictures.Simulation.Lane;
import io.headgate.bench.pictures.Simulation.Request;
import io.headgate.bench.pictures.Simulation.Traffic;
import io.headgate.bench.pictures.Svg.Scale;
import io.headgate.bench.pictures.Svg.Strokes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A picture of several limits under the same traffic, with a lane (a row) for each limit: each request, and how many were admitted in the
 * last minute.
 */
record MinutesPicture(String title, String traffic, int permits, int minutes, List<Lane> lanes, List<Long> times) {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int WIDTH = 760;
    private static final int RIGHT = 650;
    private static final int TOP = 84;
    private static final int LANE = 64;
    /** The height of the curve, whose scale ends at twice the limit. */
    private static final int CURVE = 34;

    String draw() {
        List<Simulation> simulations =
                lanes.stream().map(lane -> Simulation.of(lane.rule(), times)).toList();
        int bottom = TOP + LANE * lanes.size();
        Svg svg = new Svg(WIDTH, bottom + 46, title, description(simulations));
        Scale scale = new Scale(Traffic.micros(0), Traffic.micros(minutes * 60), 196, RIGHT);
        legend(svg);
        axis(svg, scale, bottom);
        for (int i = 0; i < lanes.size(); i++) {
            draw(svg, scale, lanes.get(i), simulations.get(i), TOP + LANE * i);
        }
        return svg.end();
    }

    private String description(List<Simulation> simulations) {
        return traffic + " The limit is " + permits + " a minute. The most that was admitted within any minute: "
                + IntStream.range(0, lanes.size())
                        .mapToObj(
                                i -> Stream.of(lanes.get(i).name(), lanes.get(i).detail())
                                                .filter(words -> !words.isEmpty())
                                                .collect(Collectors.joining(", "))
                                        + ": " + simulations.get(i).mostIn(WINDOW))
                        .collect(Collectors.joining("; "))
                + ".";
    }

    private void legend(Svg svg) {
        svg.path("in", new Strokes().tick(18, 44, 14));
        svg.text("soft", 26, 56, "admitted");
        svg.path("no", new Strokes().tick(98, 52, 6));
        svg.text("soft", 106, 56, "denied");
        svg.path(
                "curve",
                new Strokes()
                        .moveTo(162, 57)
                        .upOrDownTo(46)
                        .acrossTo(184)
                        .upOrDownTo(57)
                        .close());
        svg.text("soft", 190, 56, "admitted in the last minute");
        svg.path("limit", new Strokes().moveTo(372, 52).acrossTo(396));
        svg.text("soft", 402, 56, "the limit: " + permits + " a minute");
        svg.text("small end", WIDTH - 16, 62, "most in any");
        svg.text("small end", WIDTH - 16, 74, "minute");
    }

    private void axis(Svg svg, Scale scale, int bottom) {
        Strokes grid = new Strokes();
        for (int second = 0; second <= minutes * 60; second += 30) {
            double x = scale.x(Traffic.micros(second));
            if (second % 60 == 0) {
                grid.tick(x, TOP, bottom - TOP);
            }
            svg.text("small mid", x, bottom + 14, "%d:%02d".formatted(second / 60, second % 60));
        }
        svg.path("grid", grid);
        svg.text("small mid", (scale.left() + scale.right()) / 2, bottom + 32, "time, minutes : seconds");
    }

    private void draw(Svg svg, Scale scale, Lane lane, Simulation simulation, int top) {
        int base = top + 4 + CURVE;
        svg.text("name", 16, top + 20, lane.name());
        svg.text("soft", 16, top + 36, lane.detail());
        svg.text("small end", 190, top + 8, Integer.toString(2 * permits));
        svg.text("small end", 190, base - CURVE / 2 + 3, Integer.toString(permits));
        svg.text("small end", 190, base + 3, "0");
        curve(svg, scale, simulation, base);
        svg.path("limit", new Strokes().moveTo(scale.left(), base - CURVE / 2).acrossTo(scale.right()));
        Strokes in = new Strokes();
        Strokes no = new Strokes();
        for (Request one : simulation.requests()) {
            double x = scale.x(one.atMicros());
            if (one.allowed()) {
                in.tick(x, base + 5, 14);
            } else {
                no.tick(x, base + 13, 6);
            }
        }
        svg.path("no", no);
        svg.path("in", in);
        svg.text("most end", WIDTH - 16, base - 4, Integer.toString(simulation.mostIn(WINDOW)));
    }

    /** Draws the curve: a step up at each admission, and a step down when the admission leaves the window. */
    private void curve(Svg svg, Scale scale, Simulation simulation, int base) {
        SortedMap<Long, Integer> steps = new TreeMap<>();
        for (Request one : simulation.allowed()) {
            steps.merge(one.atMicros(), 1, Integer::sum);
            steps.merge(one.atMicros() + Simulation.micros(WINDOW), -1, Integer::sum);
        }
        Strokes curve = new Strokes().moveTo(scale.left(), base);
        int held = 0;
        for (Map.Entry<Long, Integer> step : steps.entrySet()) {
            if (step.getValue() != 0 && scale.contains(step.getKey())) {
                held += step.getValue();
                curve.acrossTo(scale.x(step.getKey())).upOrDownTo(base - held * (double) CURVE / (2 * permits));
            }
        }
        svg.path("curve", curve.acrossTo(scale.right()).upOrDownTo(base).close());
    }
}
