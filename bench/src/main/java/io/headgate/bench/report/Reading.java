package io.headgate.bench.report;

/**
 * One number that was measured.
 *
 * @param round the round it was measured in, from 1; readings of one round were taken close to each other
 */
public record Reading(String scenario, String subject, String metric, int round, double value) {}
