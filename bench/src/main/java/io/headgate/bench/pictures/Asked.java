package io.headgate.bench.pictures;

/**
 * One request of a play and what became of it; times in microseconds since 1970.
 *
 * @param atMicros when it came
 * @param allowed whether it was admitted
 * @param goesOnMicros when an admitted one was told to go on, which only a shaper puts off
 * @param resetMicros when the whole limit is there again; of a window that is its end
 */
record Asked(long atMicros, boolean allowed, long goesOnMicros, long resetMicros) {}
