package io.headgate.bench.pictures;

import io.headgate.bench.pictures.Svg.Scale;
import io.headgate.bench.pictures.Svg.Strokes;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A picture of the permits admitted in the last window over time, and of the number of calls, with a lane (a row) for each mode. */
record ModesPicture(List<ModeRun> runs) {

    private static final int WIDTH = 760;
    private static final int RIGHT = 600;
    private static final int TOP = 84;
    private static final int LANE = 110;
    /** The height of the curve, whose scale ends at 1.2 times the limit. */
    private static final int CURVE = 76;

    private static final long WINDOW_MICROS = ModeRun.WINDOW.toNanos() / 1000;
    private static final long END_MICROS = 2 * ModeRun.PHASE.toNanos() / 1000;

    String draw() {
        int bottom = TOP + LANE * runs.size();
        Svg svg = new Svg(WIDTH, bottom + 46, "One key, three instances, in each mode", description());
        Scale scale = new Scale(0, END_MICROS, 200, RIGHT);
        svg.text("soft", 16, 56, "admitted in the last %d ms".formatted(ModeRun.WINDOW.toMillis()));
        svg.path("limit", new Strokes().moveTo(200, 52).acrossTo(224));
        svg.text("soft", 230, 56, "the limit: " + ModeRun.PERMITS);
        svg.text("small end", 668, 62, "most in any");
        svg.text("small end", 668, 74, "window");
        svg.text("small end", WIDTH - 16, 62, "calls of");
        svg.text("small end", WIDTH - 16, 74, "Redis");
        axis(svg, scale, bottom);
        for (int i = 0; i < runs.size(); i++) {
            draw(svg, scale, runs.get(i), TOP + LANE * i);
        }
        return svg.end();
    }

    private String description() {
        return runs.stream()
                .map(run -> run.name() + ": " + run.admissions().size() + " of " + run.requests()
                        + " admitted, at most " + mostInAWindow(run) + " in any window, by " + run.calls() + " calls.")
                .collect(Collectors.joining(" "));
    }

    private static void axis(Svg svg, Scale scale, int bottom) {
        Strokes grid = new Strokes();
        for (long millis = 0; millis <= END_MICROS / 1000; millis += 500) {
            double x = scale.x(millis * 1000);
            grid.tick(x, TOP, bottom - TOP);
            svg.text("small mid", x, bottom + 14, Strokes.number(millis / 1000.0));
        }
        svg.path("grid", grid);
        svg.text("small mid", (scale.left() + scale.right()) / 2, bottom + 32, "time, seconds");
    }

    private static void draw(Svg svg, Scale scale, ModeRun run, int top) {
        int base = top + 12 + CURVE;
        svg.text("name", 16, top + 40, run.name());
        svg.text("soft", 16, top + 56, run.detail());
        Strokes curve = new Strokes().moveTo(scale.left(), base);
        int admitted = 0;
        double last = scale.left();
        for (Map.Entry<Long, Integer> step : steps(run).entrySet()) {
            admitted += step.getValue();
            double x = scale.x(step.getKey());
            // A point for each half pixel is enough.
            if (scale.contains(step.getKey()) && x - last >= 0.5) {
                curve.lineTo(x, base - admitted * (double) CURVE / (1.2 * ModeRun.PERMITS));
                last = x;
            }
        }
        svg.path("curve", curve.acrossTo(scale.right()).upOrDownTo(base).close());
        svg.path("limit", new Strokes().moveTo(scale.left(), base - CURVE / 1.2).acrossTo(scale.right()));
        svg.text("most end", 668, base - 24, Integer.toString(mostInAWindow(run)));
        svg.text("most end", WIDTH - 16, base - 24, Long.toString(run.calls()));
    }

    /**
     * The changes of a lower bound on the admissions in the last window: a step up at the latest time of an admission, and a step down at
     * the earliest time at which it may have left the window.
     */
    private static SortedMap<Long, Integer> steps(ModeRun run) {
        SortedMap<Long, Integer> steps = new TreeMap<>();
        for (ModeRun.Admission one : run.admissions()) {
            steps.merge(one.afterMicros(), 1, Integer::sum);
            // Never before its step up, even if the request took longer than the window.
            steps.merge(Math.max(one.afterMicros(), one.beforeMicros() + WINDOW_MICROS), -1, Integer::sum);
        }
        return steps;
    }

    static int mostInAWindow(ModeRun run) {
        int admitted = 0;
        int most = 0;
        for (int step : steps(run).values()) {
            admitted += step;
            most = Math.max(most, admitted);
        }
        return most;
    }
}
