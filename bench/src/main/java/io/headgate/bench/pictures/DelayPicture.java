package io.headgate.bench.pictures;

import io.headgate.bench.pictures.Simulation.Lane;
import io.headgate.bench.pictures.Simulation.Request;
import io.headgate.bench.pictures.Simulation.Traffic;
import io.headgate.bench.pictures.Svg.Scale;
import io.headgate.bench.pictures.Svg.Strokes;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A picture of when requests arrive and when they may proceed, with a lane (a row) for each limit: a leaky bucket as a shaper, and buckets
 * that do not delay.
 */
record DelayPicture(String title, String traffic, int seconds, List<Lane> lanes, List<Long> times) {

    private static final int WIDTH = 760;
    private static final int RIGHT = 650;
    private static final int TOP = 84;
    private static final int LANE = 92;

    String draw() {
        List<Simulation> simulations =
                lanes.stream().map(lane -> Simulation.of(lane.rule(), times)).toList();
        int bottom = TOP + LANE * lanes.size();
        Svg svg = new Svg(WIDTH, bottom + 46, title, description(simulations));
        Scale scale = new Scale(Traffic.micros(0), Traffic.micros(seconds), 226, RIGHT);
        legend(svg);
        axis(svg, scale, bottom);
        for (int i = 0; i < lanes.size(); i++) {
            draw(svg, scale, lanes.get(i), simulations.get(i), TOP + LANE * i);
        }
        return svg.end();
    }

    private String description(List<Simulation> simulations) {
        return traffic
                + IntStream.range(0, lanes.size())
                        .mapToObj(i ->
                                " " + lanes.get(i).name() + ", " + lanes.get(i).detail() + ": "
                                        + simulations.get(i).allowed().size() + " of " + times.size()
                                        + " admitted, the longest delay " + longestDelay(simulations.get(i)) + " s.")
                        .collect(Collectors.joining());
    }

    private static String longestDelay(Simulation simulation) {
        long longest = simulation.allowed().stream()
                .mapToLong(one -> one.proceedMicros() - one.atMicros())
                .max()
                .orElse(0);
        return Strokes.number(longest / 1e6);
    }

    private static void legend(Svg svg) {
        svg.path("in", new Strokes().tick(18, 44, 14));
        svg.text("soft", 26, 56, "admitted");
        svg.path("no", new Strokes().tick(98, 52, 6));
        svg.text("soft", 106, 56, "denied");
        svg.path("wait", new Strokes().moveTo(162, 46).lineTo(184, 58));
        svg.text("soft", 190, 56, "delay of its decision");
        svg.text("small end", WIDTH - 16, 62, "longest");
        svg.text("small end", WIDTH - 16, 74, "delay");
    }

    private void axis(Svg svg, Scale scale, int bottom) {
        Strokes grid = new Strokes();
        for (int second = 0; second <= seconds; second += 10) {
            double x = scale.x(Traffic.micros(second));
            grid.tick(x, TOP, bottom - TOP);
            svg.text("small mid", x, bottom + 14, Integer.toString(second));
        }
        svg.path("grid", grid);
        svg.text("small mid", (scale.left() + scale.right()) / 2, bottom + 32, "time, seconds");
    }

    private static void draw(Svg svg, Scale scale, Lane lane, Simulation simulation, int top) {
        int proceeding = top + 58;
        svg.text("name", 16, top + 30, lane.name());
        svg.text("soft", 16, top + 46, lane.detail());
        svg.text("small end", 218, top + 23, "arrive");
        svg.text("small end", 218, proceeding + 11, "proceed");
        Strokes in = new Strokes();
        Strokes no = new Strokes();
        Strokes wait = new Strokes();
        for (Request one : simulation.requests()) {
            double x = scale.x(one.atMicros());
            if (one.allowed()) {
                double later = scale.x(one.proceedMicros());
                in.tick(x, top + 12, 14).tick(later, proceeding, 14);
                wait.moveTo(x, top + 26).lineTo(later, proceeding);
            } else {
                no.tick(x, top + 20, 6);
            }
        }
        svg.path("wait", wait);
        svg.path("no", no);
        svg.path("in", in);
        svg.text("most end", WIDTH - 16, top + 46, longestDelay(simulation) + " s");
    }
}
