package io.headgate.spring.samples;

import java.util.Set;

/**
 * What the client recorded of a request. Its permits were charged at some time from {@code sent} to {@code received}.
 *
 * @param sent when it was sent, by {@link System#nanoTime()}
 * @param received when its response was complete
 * @param deniedBy the rules that denied it
 */
record Outcome(Call call, long sent, long received, Set<String> deniedBy) {

    boolean admitted() {
        return deniedBy.isEmpty();
    }
}
