package io.headgate.queues.internal;

import io.headgate.queues.Settled;
import java.util.List;

/**
 * What one turn of a worker brought.
 *
 * @param claimed jobs that are now in hand
 * @param moreInMicros after how long there may be more, as far as is known; 0 for now
 * @param settled what became of what was said of jobs in hand, in that order
 * @param <T> what a payload is
 */
public record Turn<T>(List<Work<T>> claimed, long moreInMicros, List<Settled> settled) {}
