package io.headgate.redis.limits;

import io.headgate.limits.Policy;
import io.headgate.limits.RequestId;
import io.headgate.limits.RequestIdReusedException;
import io.headgate.limits.internal.BoundedId;
import io.headgate.limits.internal.DecidedRequests;
import io.headgate.redis.internal.Packed;
import io.headgate.redis.internal.Script;
import io.headgate.redis.internal.ScriptCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns requests that have an id into calls: those without one, and a key more under which the answer is kept. Pure. */
final class OncePlanner {

    /** Of the request, and of the rules that decide it: half of what tells one from another. */
    private static final int HASH_BYTES = 8;

    private static final int MARK_BYTES = 2 * HASH_BYTES;

    private final Policy policy;
    private final byte[] version;
    private final byte[] horizonMillis;
    private final boolean timeGiven;

    OncePlanner(Policy policy, Duration horizon, boolean timeGiven) {
        this.policy = policy;
        this.version = BoundedId.hash(policy.rules().toString(), HASH_BYTES);
        this.horizonMillis = Packed.text(horizon.toMillis());
        this.timeGiven = timeGiven;
    }

    /**
     * The request of that call, with an id.
     *
     * @param script what runs instead
     * @param toldBytes how many bytes its reply has between what tells the request from others, and the reply of that call
     */
    <T> ScriptCall<OnceAnswer<T>> call(
            Script script, int toldBytes, ScriptCall<T> plain, Ask ask, RequestId id, String idKey) {
        return call(new Sort(script, MARK_BYTES + toldBytes, id, idKey), plain, ask.permits(), mark(ask));
    }

    /** What is the same when the call is planned again. */
    private record Sort(Script script, int headBytes, RequestId id, String idKey) {}

    private <T> ScriptCall<OnceAnswer<T>> call(Sort sort, ScriptCall<T> plain, long permits, byte[] mark) {
        String[] keys = Arrays.copyOf(plain.keys(), plain.keys().length + 1);
        keys[keys.length - 1] = sort.idKey();
        byte[][] given = plain.arguments();
        byte[][] arguments = new byte[timeGiven ? 5 : 4][];
        arguments[0] = given[0];
        arguments[1] = Packed.text(permits);
        arguments[2] = mark;
        arguments[3] = horizonMillis;
        if (timeGiven) {
            arguments[4] = given[given.length - 1];
        }
        return new ScriptCall<>(sort.script(), keys, arguments, new ScriptCall.Decoder<>() {

            @Override
            public OnceAnswer<T> decode(byte[] reply) {
                RuntimeException other = otherThan(mark, reply, sort.id());
                return other == null
                        ? new OnceAnswer<>(plain.decoder().decode(decided(sort, reply)), null)
                        : new OnceAnswer<>(null, other);
            }

            @Override
            public @Nullable ScriptCall<OnceAnswer<T>> instead(byte[] reply) {
                ScriptCall<T> again = otherThan(mark, reply, sort.id()) == null
                        ? plain.decoder().instead(decided(sort, reply))
                        : null;
                return again == null ? null : call(sort, again, permits, mark);
            }
        });
    }

    private static byte[] decided(Sort sort, byte[] reply) {
        return Arrays.copyOfRange(reply, sort.headBytes(), reply.length);
    }

    /** Why the answer is not one to this request, if so. */
    private @Nullable RuntimeException otherThan(byte[] mark, byte[] reply, RequestId id) {
        if (!Arrays.equals(mark, HASH_BYTES, MARK_BYTES, reply, HASH_BYTES, MARK_BYTES)) {
            return DecidedRequests.decidedByOthers(policy);
        }
        return Arrays.equals(mark, 0, HASH_BYTES, reply, 0, HASH_BYTES)
                ? null
                : new RequestIdReusedException(policy.name(), id);
    }

    /** What tells a request from others, and by which rules it is decided. */
    byte[] mark(Ask ask) {
        StringBuilder asked = new StringBuilder().append(ask.permits());
        for (var rule : policy.rules()) {
            List<String> ids = ask.attributes().idsOf(rule);
            // With its length, so that no two lists of ids read the same.
            ids.forEach(
                    one -> asked.append(' ').append(one.length()).append(':').append(one));
        }
        return new Packed()
                .all(BoundedId.hash(asked.toString(), HASH_BYTES))
                .all(version)
                .bytes();
    }
}
