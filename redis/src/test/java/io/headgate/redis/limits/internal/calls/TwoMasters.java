package io.headgate.redis.limits.internal.calls;

import io.headgate.limits.Attributes;
import io.headgate.limits.Decision;
import io.headgate.limits.Policy;
import io.headgate.redis.RedisSettings;
import io.headgate.redis.internal.cluster.RedisLinks;
import io.headgate.redis.internal.connection.ConnectionSettings;
import io.headgate.redis.internal.connection.RedisLink;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.ScriptExecutor;
import io.headgate.redis.limits.internal.denials.DenialCache;
import io.headgate.redis.limits.internal.planner.AcquireRequest;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.redis.limits.internal.planner.PolicyPlanner;
import io.headgate.redis.limits.internal.planner.Scripts;
import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.faults.FaultProxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Two Redis servers, each behind a proxy, in the role of two masters of a Cluster. Rules whose name begins with {@code second} are
 * on the second master, other rules on the first.
 */
final class TwoMasters implements AutoCloseable {

    private static final RedisServer FIRST = RedisServer.startOwn();
    private static final RedisServer SECOND = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(60);

    final FaultProxy first = FaultProxy.before(FIRST.url());
    final FaultProxy second = FaultProxy.before(SECOND.url());
    final RedisProbe probeOfFirst = RedisProbe.of(FIRST.url());
    final RedisProbe probeOfSecond = RedisProbe.of(SECOND.url());
    private final RedisLink toFirst;
    private final RedisLink toSecond;
    private final PolicyPlanner planner;
    private final ByKey executor = new ByKey();
    private final PolicyCalls calls;

    /**
     * Empties both servers, and connects to them through the proxies.
     *
     * @param timeoutOfSecond the timeout of calls to the second server
     */
    TwoMasters(Policy policy, Duration timeoutOfSecond) {
        probeOfFirst.flushAll();
        probeOfSecond.flushAll();
        toFirst = open(first.url(), LONG);
        toSecond = open(second.url(), timeoutOfSecond);
        planner = planner(policy);
        DenialCache denials = new DenialCache(0, () -> {});
        MultiSlotCalls multiSlot = new MultiSlotCalls(executor, (version, rules, attributes, permits) -> {}, denials);
        calls = new PolicyCalls(executor, multiSlot, denials);
    }

    /** A planner whose calls have keys of one slot only. */
    static PolicyPlanner planner(Policy policy) {
        return new PolicyPlanner(
                policy, new Keys("hg"), new Scripts(false), Optional.empty(), Duration.ofMinutes(1), false);
    }

    private static RedisLink open(String url, Duration timeout) {
        RedisSettings settings = RedisSettings.of(url).withTimeout(timeout);
        return RedisLinks.open(new ConnectionSettings(settings), LimitFailures.INSTANCE);
    }

    /** Sends each call to the master of its first key. */
    private final class ByKey implements ScriptExecutor {

        @Override
        public <T> CompletableFuture<T> execute(ScriptCall<T> call) {
            RedisLink master = call.firstKey().contains(":second") ? toSecond : toFirst;
            return master.executor().execute(call);
        }
    }

    /** Acquires one permit. */
    CompletableFuture<Decision> acquire(Attributes attributes) {
        return acquire(attributes, null);
    }

    /** Acquires one permit, with a request id if there is one. */
    CompletableFuture<Decision> acquire(Attributes attributes, AcquireRequest.@Nullable Id id) {
        PendingRequest pending = new PendingRequest(
                planner.request(attributes, 1, planner.localMicros(), id), planner, new PendingRequest.Handler() {});
        calls.send(pending);
        return pending;
    }

    /** Sends one call. */
    <T> CompletableFuture<T> execute(ScriptCall<T> call) {
        return executor.execute(call);
    }

    /** Whether a peek fails because a master is unreachable. */
    boolean isUnreachable() {
        return calls.peek(planner, Attributes.of(Attributes.USER, "unused"), 1)
                .handle((decision, problem) -> problem != null)
                .join();
    }

    PolicyCalls calls() {
        return calls;
    }

    PolicyPlanner planner() {
        return planner;
    }

    /** The permits that each rule counts, in the order of the rules. */
    long[] counted(Attributes attributes) {
        return counted(calls.peek(planner, attributes, 1).join());
    }

    private static long[] counted(Decision peeked) {
        return peeked.rules().stream()
                .mapToLong(rule -> rule.limit() - rule.remaining())
                .toArray();
    }

    /** Waits until the rules count these permits. A reply that is late is not the end of the wait. */
    void awaitCounted(Attributes attributes, long... permits) {
        Await.until("counted " + Arrays.toString(permits), LONG, () -> calls.peek(planner, attributes, 1)
                .handle((peeked, problem) -> problem == null && Arrays.equals(counted(peeked), permits))
                .join());
    }

    @Override
    public void close() {
        toFirst.close();
        toSecond.close();
        first.close();
        second.close();
        probeOfFirst.close();
        probeOfSecond.close();
    }
}
