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
 * Two Redis servers, each with a proxy before it, as masters of a Cluster whose slots each hold one rule of a policy: of a rule
 * whose name begins with {@code second} the one, of others the other.
 */
final class TwoMasters implements AutoCloseable {

    private static final RedisServer FIRST = RedisServer.startOwn();
    private static final RedisServer SECOND = RedisServer.startOwn();
    private static final Duration LONG = Duration.ofSeconds(20);

    final FaultProxy first = FaultProxy.before(FIRST.url());
    final FaultProxy second = FaultProxy.before(SECOND.url());
    final RedisProbe probeOfFirst = RedisProbe.of(FIRST.url());
    final RedisProbe probeOfSecond = RedisProbe.of(SECOND.url());
    private final RedisLink toFirst;
    private final RedisLink toSecond;
    private final PolicyPlanner planner;
    private final ByKey executor = new ByKey();
    private final PolicyCalls calls;

    /** None of their keys are there. */
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

    /** A planner that may have keys of one slot in a call. */
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

    /** The same, under an id. */
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

    /** Whether one of them can't be read. */
    boolean fails() {
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

    /** How many permits each rule counts, in their order. */
    long[] counted(Attributes attributes) {
        return calls.peek(planner, attributes, 1).join().rules().stream()
                .mapToLong(rule -> rule.limit() - rule.remaining())
                .toArray();
    }

    /** Waits until they count {@code permits}. */
    void awaitCounted(Attributes attributes, long... permits) {
        Await.until("counted " + Arrays.toString(permits), LONG, () -> Arrays.equals(counted(attributes), permits));
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
