package io.headgate.bench.web;

import io.headgate.bench.report.Metrics;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Choice.Lookup;
import io.headgate.bench.run.Pace;
import io.headgate.bench.run.RedisMeter;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Tally;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Requests to an application that starts once for each subject, all of them for the whole scenario. Sixteen connections send the next
 * request when the previous one is answered, so the processors are busy, and the processor time of a request is comparable.
 */
final class WebScenario implements Scenario {

    /** A subject is warm if the compilers take less than this share of its processor time. */
    private static final double WARM = 0.05;

    /** After how many requests of one user a subject that denies none has no limit: every subject answers more than 250 a second. */
    private static final int MOST_CHECKED = 10_000;

    private static final int SLICES = 8;

    /** How many times longer than usual a warm-up may last. */
    private static final int LONGEST = 2;

    private final WebSubjects subjects;
    private final Path applications;
    private final Arena arena;
    private final Pace.Timing timing;

    WebScenario(WebSubjects subjects, Path applications, Arena arena) {
        this.subjects = subjects;
        this.applications = applications;
        this.arena = arena;
        this.timing = arena.pace().web();
    }

    @Override
    public String name() {
        return subjects.label();
    }

    @Override
    public int rounds() {
        return timing.rounds();
    }

    @Override
    public List<String> subjects() {
        return subjects.subjects();
    }

    @Override
    public Turns open() {
        Running running = new Running();
        try {
            subjects().forEach(running::start);
            running.prepare();
            return running;
        } catch (RuntimeException | AssertionError e) {
            running.close();
            throw e;
        }
    }

    /** The applications, which are idle except in their turns. */
    private final class Running implements Turns {

        private final Backend backend = Backend.start();
        private final Map<String, WebApplication> all = new LinkedHashMap<>();

        /** What the first round reports about a subject. */
        private final Map<String, List<String>> notes = new LinkedHashMap<>();

        /** Subjects that are left out, as they admit every request. */
        private final List<String> unlimited = new ArrayList<>();

        void start(String subject) {
            all.put(
                    subject,
                    WebApplication.start(
                            applications.resolve(name() + ".jar"),
                            List.of(
                                    "--spring.profiles.active=" + subject,
                                    "--bench.redis=" + arena.redis().url(),
                                    "--bench.backend=" + backend.port())));
        }

        void prepare() {
            all.forEach((subject, application) -> {
                // Not earlier: an application closes a connection without a first request after a minute.
                application.connect();
                checkThatItLimits(subject, application);
                if (!unlimited.contains(subject)) {
                    warmUp(subject, application);
                }
            });
        }

        /** Sends requests of one user as fast as possible, until one is denied. */
        private void checkThatItLimits(String subject, WebApplication application) {
            Tally tally = application.runUntilDenied("greedy", MOST_CHECKED);
            boolean limits = tally.denied() > 0;
            String admitted = tally.allowed() + " of " + tally.decisions() + " requests in " + tally.seconds()
                    + " s with a limit of " + WebApplication.PERMITS + " a second";
            if (subject.equals(WebSubjects.NONE) == limits) {
                unlimited.add(subject);
                note(subject, "left out: admitted " + admitted + "; its filters are " + application.filters());
            } else if (limits && tally.allowed() < WebApplication.PERMITS / 2) {
                note(subject, "admitted only " + admitted);
            }
            tally.failures().ifPresent(failures -> note(subject, failures));
        }

        /** Sends requests until the compilers are idle. */
        private void warmUp(String subject, WebApplication application) {
            long start = System.nanoTime();
            double compiling;
            Duration passed;
            do {
                ProcessorTime before = application.processorTime();
                application.run(timing.warmUp().dividedBy(SLICES));
                compiling = application.processorTime().since(before).compiling();
                passed = Duration.ofNanos(System.nanoTime() - start);
            } while (passed.compareTo(timing.warmUp()) < 0
                    || (compiling > WARM && passed.compareTo(timing.warmUp().multipliedBy(LONGEST)) < 0));
            if (compiling > WARM) {
                note(
                        subject,
                        "after a warm-up of " + passed.toSeconds() + " s, compilers still took "
                                + Math.round(100 * compiling) + " % of the processor time");
            }
        }

        private void note(String subject, String text) {
            notes.computeIfAbsent(subject, key -> new ArrayList<>()).add(text);
        }

        @Override
        public void take(String subject, Recorder into) {
            notes.getOrDefault(subject, List.of()).forEach(into::note);
            notes.remove(subject);
            if (unlimited.contains(subject)) {
                return;
            }
            WebApplication application = Lookup.required(all, subject);
            RedisMeter redisBefore = RedisMeter.read(arena.probe());
            ProcessorTime before = application.processorTime();
            Tally tally = application.run(timing.turn());
            ProcessorTime used = application.processorTime().since(before);
            RedisMeter redis = RedisMeter.read(arena.probe()).since(redisBefore);

            double requests = tally.decisions();
            into.add(Metrics.APP_CPU_MICROS, used.work() / 1e3 / requests);
            into.add(Metrics.REDIS_CPU_MICROS, redis.cpuMicros() / requests);
            into.add(Metrics.REQUESTS_PER_SECOND, tally.perSecond());
            into.add(Metrics.P99_MICROS, tally.percentileMicros(99));
            into.expect(tally.allowed(), tally.decisions(), "admitted");
            tally.failures().ifPresent(into::note);
        }

        @Override
        public void close() {
            all.values().forEach(WebApplication::close);
            backend.close();
            arena.probe().flushAll();
        }
    }
}
