package io.headgate.redis.queues.internal.job;

import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The clock of scripts: Redis's clock, or, in tests, a time that is appended to the arguments of each call.
 *
 * @param timeMicros the source of the time; empty for Redis's clock
 */
public record ScriptClock(Optional<LongSupplier> timeMicros) {

    /** Redis's clock. */
    public static final ScriptClock OF_REDIS = new ScriptClock(Optional.empty());

    /** Makes a script call; appends the time to its arguments if this is the clock of a test. */
    public <T> ScriptCall<T> call(Script script, String[] keys, List<byte[]> arguments, ScriptCall.Decoder<T> decoder) {
        List<byte[]> all = arguments;
        if (timeMicros.isPresent()) {
            all = new ArrayList<>(arguments);
            all.add(Packed.text(timeMicros.get().getAsLong()));
        }
        return new ScriptCall<>(script, keys, all.toArray(byte[][]::new), decoder);
    }
}
