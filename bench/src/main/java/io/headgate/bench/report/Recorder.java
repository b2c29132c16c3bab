package io.headgate.bench.report;

/** Takes the readings of one subject in one round of one scenario. */
public record Recorder(Readings readings, String scenario, String subject, int round) {

    private static final double EXPECTED_SHARE = 0.99;

    public void add(String metric, double value) {
        readings.add(new Reading(scenario, subject, metric, round, value));
    }

    public void add(String metric, long value) {
        add(metric, (double) value);
    }

    /** Notes it when clearly fewer answers than all are what the scenario is about; some may be just as it begins. */
    public void expect(long right, long all, String what) {
        if (right < EXPECTED_SHARE * all) {
            note("only " + right + " of " + all + " were " + what);
        }
    }

    public void note(String text) {
        readings.note(scenario + ", " + subject + ", round " + round + ": " + text);
    }
}
