package io.headgate.bench;

/** Takes the readings of one subject in one round of one scenario. */
record Recorder(Readings readings, String scenario, String subject, int round) {

    void add(String metric, double value) {
        readings.add(new Reading(scenario, subject, metric, round, value));
    }

    void add(String metric, long value) {
        add(metric, (double) value);
    }

    void note(String text) {
        readings.note(scenario + ", " + subject + ", round " + round + ": " + text);
    }
}
