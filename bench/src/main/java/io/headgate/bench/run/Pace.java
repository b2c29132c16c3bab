package io.headgate.bench.run;

import java.time.Duration;

/**
 * The durations and repetitions of all scenarios.
 *
 * @param redis the scenarios on Redis, in many short rounds, as disturbances last for seconds
 * @param flood the scenarios with cached denials, in fewer rounds of some seconds, as Headgate makes at most one call a second in them
 * @param spreadWindow the window of the limits in {@code spread}, and the length of its warm-up: afterwards admissions leave the window
 *     as fast as new ones arrive
 * @param memoryRounds how often memory is measured, which hardly varies
 * @param memoryWindows over how many full windows the memory of a user is measured
 * @param local the scenarios in memory, with one warm-up
 * @param offered the application, with one warm-up
 * @param jobs the scenarios of queues
 * @param faults the faults of a Redis
 * @param hostile attacks on a server
 * @param web the applications with HTTP requests, with one warm-up, which lasts longer if they still compile
 */
public record Pace(
        Timing redis,
        Timing flood,
        Duration spreadWindow,
        int memoryRounds,
        int memoryWindows,
        Timing local,
        Timing offered,
        Jobs jobs,
        Faults faults,
        Hostile hostile,
        Timing web) {

    /**
     * The number and the length of turns.
     *
     * @param rounds how many turns each subject has
     * @param warmUpMillis how long a subject runs before it is measured
     * @param turnMillis how long a subject is measured
     */
    public record Timing(int rounds, int warmUpMillis, int turnMillis) {

        public Duration warmUp() {
            return Duration.ofMillis(warmUpMillis);
        }

        public Duration turn() {
            return Duration.ofMillis(turnMillis);
        }
    }

    /**
     * The number of turns of queues, and of the jobs in them.
     *
     * @param rounds how many turns each queue has
     * @param warmUps how many unmeasured turns each queue has before them
     * @param jobs how many jobs are processed in a turn
     * @param inMemory how many jobs wait in a queue when its memory is measured
     * @param latenessRounds how many turns each queue has when lateness is measured
     * @param latenessJobs how many jobs become due in a turn that measures lateness
     * @param large how many jobs the largest queue has
     */
    public record Jobs(
            int rounds, int warmUps, int jobs, int inMemory, int latenessRounds, int latenessJobs, int large) {}

    /**
     * The number and the length of faults.
     *
     * @param rounds how often each fault is caused
     * @param decisions the number of decisions while Redis is dead
     * @param ofJobs how long each fault with jobs lasts
     */
    public record Faults(int rounds, int decisions, Duration ofJobs) {}

    /**
     * How long each attack on a server takes.
     *
     * @param earlyMillis when the memory of the server is measured first
     * @param lateMillis when the memory of the server is measured last, and the attack ends
     */
    public record Hostile(int earlyMillis, int lateMillis) {}

    /** The pace of a full run, which takes about a quarter of an hour for the limits. */
    static Pace full() {
        return new Pace(
                new Timing(20, 100, 500),
                new Timing(7, 100, 3000),
                Duration.ofSeconds(10),
                5,
                10,
                new Timing(5, 5000, 1000),
                new Timing(5, 5000, 5000),
                new Jobs(15, 2, 100_000, 100_000, 7, 1_000, 10_000_000),
                new Faults(3, 10_000_000, Duration.ofSeconds(3)),
                new Hostile(10_000, 60_000),
                new Timing(25, 20_000, 1000));
    }

    /** The pace of a quick run, which takes about six minutes for the limits. */
    static Pace quick() {
        return new Pace(
                new Timing(15, 20, 120),
                new Timing(5, 20, 2000),
                Duration.ofSeconds(10),
                1,
                10,
                new Timing(5, 2000, 250),
                new Timing(5, 2000, 1500),
                new Jobs(9, 2, 50_000, 100_000, 5, 300, 500_000),
                new Faults(1, 10_000_000, Duration.ofSeconds(3)),
                new Hostile(5_000, 20_000),
                new Timing(15, 8_000, 300));
    }

    /** The pace of tests; the figures are meaningless. */
    static Pace smoke() {
        return new Pace(
                new Timing(1, 5, 50),
                new Timing(1, 5, 50),
                Duration.ofMillis(500),
                1,
                1,
                new Timing(1, 10, 20),
                new Timing(1, 20, 50),
                new Jobs(1, 0, 1_000, 1_000, 1, 20, 2_000),
                new Faults(1, 20_000, Duration.ofSeconds(1)),
                new Hostile(500, 1_000),
                new Timing(1, 20, 50));
    }
}
