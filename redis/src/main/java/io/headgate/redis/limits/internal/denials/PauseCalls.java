package io.headgate.redis.limits.internal.denials;

import io.headgate.limits.internal.Pauses.Target;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptFiles;
import io.headgate.redis.limits.internal.planner.Keys;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** The calls to Redis about pauses. A call that cannot be sent fails its future. Safe for use by any number of threads. */
final class PauseCalls {

    private static final ScriptFiles FILES = ScriptFiles.in("pauses", "pauses");
    private static final Script PAUSE = FILES.script("pause", Map.of());
    private static final Script RESUME = FILES.script("resume", Map.of());
    private static final Script READ = FILES.script("pauses", Map.of());

    /** All scripts. */
    static final List<Script> SCRIPTS = List.of(PAUSE, RESUME, READ);

    private final RedisExecutor executor;
    private final String[] keys;
    private final byte[] channel;

    PauseCalls(RedisExecutor executor, Keys keys) {
        this.executor = executor;
        this.keys = new String[] {keys.pauses()};
        this.channel = keys.pauseChannel().getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * The pauses in force.
     *
     * @param rests how long each target is still paused, in microseconds
     */
    record InForce(String version, Map<Target, Long> rests) {}

    /** Pauses a target. Completes with how long it is paused, in microseconds; empty if too many others are paused. */
    CompletableFuture<Optional<Long>> pause(Target target, long micros) {
        return send(
                PAUSE,
                reply -> reply.isEmpty() ? Optional.empty() : Optional.of(Long.parseLong(reply)),
                ascii(text(target)),
                Packed.text(micros),
                channel);
    }

    /** Ends a pause. Completes with whether the target was paused. */
    CompletableFuture<Boolean> resume(Target target) {
        return send(RESUME, "1"::equals, ascii(text(target)), channel);
    }

    /** Reads the pauses; completes without them if they are of the given version. */
    CompletableFuture<Optional<InForce>> read(String version) {
        return send(READ, PauseCalls::inForce, ascii(version));
    }

    private <T> CompletableFuture<T> send(Script script, Function<String, T> decoder, byte[]... arguments) {
        try {
            return executor.execute(new ScriptCall<>(
                    script, keys, arguments, reply -> decoder.apply(new String(reply, StandardCharsets.US_ASCII))));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static Optional<InForce> inForce(String reply) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        String[] lines = reply.split("\n");
        Map<Target, Long> rests = new HashMap<>();
        for (int i = 1; i < lines.length; i++) {
            int space = lines[i].indexOf(' ');
            rests.put(target(lines[i].substring(space + 1)), Long.parseLong(lines[i].substring(0, space)));
        }
        return Optional.of(new InForce(lines[0], rests));
    }

    /** Encodes a target: {@code partners partner=acme}. The ids are encoded as in keys, and so have neither blanks nor line breaks. */
    private static String text(Target target) {
        StringBuilder text = new StringBuilder(target.policy());
        for (int i = 0; i < target.dimensions().size(); i++) {
            text.append(' ')
                    .append(target.dimensions().get(i))
                    .append('=')
                    .append(target.ids().get(i));
        }
        return text.toString();
    }

    private static Target target(String text) {
        String[] parts = text.split(" ");
        List<String> dimensions = new ArrayList<>();
        List<String> ids = new ArrayList<>();
        for (int i = 1; i < parts.length; i++) {
            int equals = parts[i].indexOf('=');
            dimensions.add(parts[i].substring(0, equals));
            ids.add(parts[i].substring(equals + 1));
        }
        return new Target(parts[0], List.copyOf(dimensions), List.copyOf(ids));
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
