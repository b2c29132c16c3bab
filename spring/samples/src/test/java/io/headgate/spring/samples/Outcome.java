package io.headgate.spring.samples;

/**
 * What the client recorded of a request. Its permits were charged at some time from {@code sent} to {@code received}.
 *
 * @param sent when it was sent, by {@link System#nanoTime()}
 * @param received when its response was complete
 * @param admitted whether the limit admitted it
 */
record Outcome(Call call, long sent, long received, boolean admitted) {}
