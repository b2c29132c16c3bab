package io.headgate.redis.limits.internal.planner;

import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.Rule;
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
 * Plans the calls of requests with an id. Such a call extends the call of the same request without an id by a key, under which Redis stores
 * the reply, and by arguments. Pure.
 */
public final class IdempotencyPlanner {

    /** The length of each half of a fingerprint: the hash of the request, and the hash of the rules that decide it. */
    private static final int HASH_BYTES = 8;

    private static final int FINGERPRINT_BYTES = 2 * HASH_BYTES;

    private final Policy policy;
    private final byte[] version;
    private final byte[] horizonMillis;
    private final boolean timeGiven;

    IdempotencyPlanner(Policy policy, Duration horizon, boolean timeGiven) {
        this.policy = policy;
        this.version = BoundedId.hash(
                // Whether a rule bans does not matter to a request that was allowed.
                policy.rules().stream().map(Rule::withoutBans).toList().toString(), HASH_BYTES);
        this.horizonMillis = Packed.text(horizon.toMillis());
        this.timeGiven = timeGiven;
    }

    /**
     * Plans the call of a request with an id.
     *
     * @param script the script to run
     * @param extraBytes how many bytes its reply has between the fingerprint and the reply of the plain call
     * @param plain the call of the same request without an id
     */
    <T> ScriptCall<Answer<T>> call(
            Script script, int extraBytes, ScriptCall<T> plain, AcquireRequest request, RequestId id, String idKey) {
        return call(
                new Target(script, FINGERPRINT_BYTES + extraBytes, id, idKey),
                plain,
                request.permits(),
                fingerprint(request));
    }

    /**
     * The outcome of a request with an id: the reply, which Redis may have stored before, or a problem, because the stored reply is for
     * another request or was decided by other rules.
     */
    public record Answer<T>(@Nullable T reply, @Nullable RuntimeException problem) {

        /** Returns the reply, or throws the problem if there is none. */
        public T orThrow() {
            if (reply == null) {
                throw problem == null ? new IllegalStateException("neither an answer nor a problem") : problem;
            }
            return reply;
        }
    }

    /** The parts of a call that a follow-up call has, too. */
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
                        ? new Answer<>(plain.decoder().decode(plainReply(target, reply)), null)
                        : new Answer<>(null, mismatch);
            }

            @Override
            public @Nullable ScriptCall<Answer<T>> followUp(byte[] reply) {
                ScriptCall<T> again = mismatch(fingerprint, reply, target.id()) == null
                        ? plain.decoder().followUp(plainReply(target, reply))
                        : null;
                return again == null ? null : call(target, again, permits, fingerprint);
            }
        });
    }

    /** The reply that the plain call would have received. */
    private static byte[] plainReply(Target target, byte[] reply) {
        return Arrays.copyOfRange(reply, target.headBytes(), reply.length);
    }

    /** The problem if a reply is for another request or was decided by other rules; null if it is for this request. */
    private @Nullable RuntimeException mismatch(byte[] fingerprint, byte[] reply, RequestId id) {
        if (!Arrays.equals(fingerprint, HASH_BYTES, FINGERPRINT_BYTES, reply, HASH_BYTES, FINGERPRINT_BYTES)) {
            return DecidedRequests.decidedByOthers(policy);
        }
        return Arrays.equals(fingerprint, 0, HASH_BYTES, reply, 0, HASH_BYTES)
                ? null
                : new RequestIdReusedException(policy.name(), id);
    }

    /** The fingerprint of a request: a hash of its permits and ids, and a hash of the rules that decide it. */
    byte[] fingerprint(AcquireRequest request) {
        StringBuilder text = new StringBuilder().append(request.permits());
        for (var rule : policy.rules()) {
            List<String> ids = request.attributes().idsOf(rule);
            // Each id with its length, so that different lists of ids have different texts.
            ids.forEach(id -> text.append(' ').append(id.length()).append(':').append(id));
        }
        return new Packed()
                .all(BoundedId.hash(text.toString(), HASH_BYTES))
                .all(version)
                .bytes();
    }
}
