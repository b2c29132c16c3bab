package io.headgate.redis.queues.internal.job;

import io.headgate.queues.NewJob;
import io.headgate.redis.internal.script.Packed;

/**
 * The due time of a job, in the form that scripts read.
 *
 * @param kind {@link #NOW}, {@link #AFTER} a delay, or {@link #AT} a time
 * @param micros the delay, or the time since 1970; 0 for now
 */
public record Due(int kind, long micros) {

    static final int NOW = 0;
    static final int AFTER = 1;
    static final int AT = 2;

    public static Due of(NewJob.Due due) {
        if (due instanceof NewJob.At at) {
            return new Due(AT, Times.micros(at.instant()));
        }
        long delay = Times.micros(((NewJob.After) due).delay());
        return new Due(delay == 0 ? NOW : AFTER, delay);
    }

    public byte[] bytes() {
        return new Packed().number(kind, 1).number(micros, 7).bytes();
    }
}
