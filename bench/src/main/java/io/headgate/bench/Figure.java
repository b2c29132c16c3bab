package io.headgate.bench;

/** A figure that was promised, how it is measured, and where it should be. */
record Figure(String text, Measure measure, Reach reach) {}
