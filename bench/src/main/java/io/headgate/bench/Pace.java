package io.headgate.bench;

import java.time.Duration;

/**
 * How long everything is measured for.
 *
 * @param rounds how often each subject has its turn
 * @param runIn how long it runs before it is measured in a turn, and once before the first round
 * @param turn how long it is then measured
 * @param memoryRounds how often memory is measured, which hardly varies
 * @param memoryWindows how many full windows a user's memory is watched over
 * @param forks whether what runs in memory has a JVM of its own each time
 * @param localRunIn the same as runIn, for what runs in memory
 * @param localTurn the same as turn
 * @param offeredRunIn the same as runIn, for the application, and only once
 * @param offeredTurn the same as turn
 */
record Pace(
        int rounds,
        Duration runIn,
        Duration turn,
        int memoryRounds,
        int memoryWindows,
        boolean forks,
        Duration localRunIn,
        Duration localTurn,
        Duration offeredRunIn,
        Duration offeredTurn) {

    static Pace full() {
        return new Pace(
                5,
                Duration.ofSeconds(1),
                Duration.ofSeconds(2),
                5,
                10,
                true,
                Duration.ofSeconds(2),
                Duration.ofSeconds(2),
                Duration.ofSeconds(5),
                Duration.ofSeconds(5));
    }

    static Pace quick() {
        return new Pace(
                5,
                Duration.ofMillis(250),
                Duration.ofMillis(400),
                1,
                10,
                true,
                Duration.ofMillis(300),
                Duration.ofMillis(300),
                Duration.ofSeconds(2),
                Duration.ofMillis(1500));
    }

    /** To see that it runs; its figures mean nothing. */
    static Pace smoke() {
        return new Pace(
                1,
                Duration.ofMillis(20),
                Duration.ofMillis(50),
                1,
                1,
                false,
                Duration.ofMillis(20),
                Duration.ofMillis(20),
                Duration.ofMillis(200),
                Duration.ofMillis(300));
    }
}
