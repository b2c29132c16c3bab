package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.memory.DecidedRequests;
import io.headgate.redis.internal.script.Packed;
import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans the calls of requests that have an id: the call of the same request without an id, and one more key, under which Redis keeps
 * the reply. Pure.
 */
public final class IdempotencyPlanner {

    /** The length of each half of a fingerprint: that of the request, and that of the rules that decide it. */
    private static final int HASH_BYTES = 8;

    private static final int FINGERPRINT_BYTES = 2 * HASH_BYTES;

    private final Policy policy;
    private final byte[] version;
    private final byte[] horizonMillis;
    private final boolean timeGiven;

    IdempotencyPlanner(Policy policy, Duration horizon, boolean timeGiven) {
        this.policy = policy;
        this.version = BoundedId.hash(policy.rules().toString(), HASH_BYTES);
        this.horizonMillis = Packed.text(horizon.toMillis());
        this.timeGiven = timeGiven;
    }

    /**
     * The call of the same request with an id.
     *
     * @param script the script that runs instead
     * @param toldBytes how many bytes its reply has between the fingerprint and the reply of the plain call
     */
    <T> ScriptCall<Answer<T>> call(
            Script script, int toldBytes, ScriptCall<T> plain, AcquireRequest request, RequestId id, String idKey) {
        return call(
                new Target(script, FINGERPRINT_BYTES + toldBytes, id, idKey),
                plain,
                request.permits(),
                fingerprint(request));
    }

    /**
     * The outcome of a request with an id: the reply, which may be one that Redis had kept, or why that is no reply to this request.
     */
    public record Answer<T>(@Nullable T reply, @Nullable RuntimeException problem) {

        /** The reply; throws the problem where there is none. */
        public T orThrow() {
            if (reply == null) {
                throw problem == null ? new IllegalStateException("neither an answer nor a problem") : problem;
            }
            return reply;
        }
    }

    /** What stays the same when the call is planned once more. */
    private record Target(Script script, int headBytes, RequestId id, String idKey) {}

    private <T> ScriptCall<Answer<T>> call(Target target, ScriptCall<T> plain, long permits, byte[] fingerprint) {
        String[] keys = Arrays.copyOf(plain.keys(), plain.keys().length + 1);
        keys[keys.length - 1] = target.idKey();
        byte[][] given = plain.arguments();
        byte[][] arguments = new byte[timeGiven ? 5 : 4][];
        arguments[0] = given[0];
        arguments[1] = Packed.text(permits);
        arguments[2] = fingerprint;
        arguments[3] = horizonMillis;
        if (timeGiven) {
            arguments[4] = given[given.length - 1];
        }
        return new ScriptCall<>(target.script(), keys, arguments, new ScriptCall.Decoder<>() {

            @Override
            public Answer<T> decode(byte[] reply) {
                RuntimeException mismatch = mismatch(fingerprint, reply, target.id());
                return mismatch == null
                        ? new Answer<>(plain.decoder().decode(decided(target, reply)), null)
                        : new Answer<>(null, mismatch);
            }

            @Override
            public @Nullable ScriptCall<Answer<T>> followUp(byte[] reply) {
                ScriptCall<T> again = mismatch(fingerprint, reply, target.id()) == null
                        ? plain.decoder().followUp(decided(target, reply))
                        : null;
                return again == null ? null : call(target, again, permits, fingerprint);
            }
        });
    }

    private static byte[] decided(Target target, byte[] reply) {
        return Arrays.copyOfRange(reply, target.headBytes(), reply.length);
    }

    /** Why a reply is no reply to this request; null where it is one. */
    private @Nullable RuntimeException mismatch(byte[] fingerprint, byte[] reply, RequestId id) {
        if (!Arrays.equals(fingerprint, HASH_BYTES, FINGERPRINT_BYTES, reply, HASH_BYTES, FINGERPRINT_BYTES)) {
            return DecidedRequests.decidedByOthers(policy);
        }
        return Arrays.equals(fingerprint, 0, HASH_BYTES, reply, 0, HASH_BYTES)
                ? null
                : new RequestIdReusedException(policy.name(), id);
    }

    /** Two hashes: of the permits and the ids of a request, and of the rules that decide it. */
    byte[] fingerprint(AcquireRequest request) {
        StringBuilder text = new StringBuilder().append(request.permits());
        for (var rule : policy.rules()) {
            List<String> ids = request.attributes().idsOf(rule);
            // With its length, so that no two lists of ids read the same.
            ids.forEach(id -> text.append(' ').append(id.length()).append(':').append(id));
        }
        return new Packed()
                .all(BoundedId.hash(text.toString(), HASH_BYTES))
                .all(version)
                .bytes();
    }
}
