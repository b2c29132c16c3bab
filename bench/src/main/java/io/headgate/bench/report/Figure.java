package io.headgate.bench.report;

/** A figure that was promised, how it is measured, and where it should be. */
public record Figure(String text, Measure measure, Reach reach) {}
