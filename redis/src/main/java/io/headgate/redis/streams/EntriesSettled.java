package io.headgate.redis.streams;

import io.headgate.queues.Settled;
import java.util.List;

/**
 * What became of what was said of entries in hand.
 *
 * @param nowMicros when, by Redis's clock
 * @param each what became of each, in their order
 */
record EntriesSettled(long nowMicros, List<Settled> each) {}
