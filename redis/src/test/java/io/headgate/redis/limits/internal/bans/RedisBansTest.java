package io.headgate.redis.limits.internal.bans;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.TimeSource;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.internal.EngineState;
import io.headgate.limits.internal.bans.BanIndex;
import io.headgate.redis.internal.connection.BlockingCalls;
import io.headgate.redis.internal.connection.Failures;
import io.headgate.redis.internal.script.PairedReplies;
import io.headgate.redis.internal.script.RedisExecutor;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.redis.internal.script.TrailingCommand;
import io.headgate.redis.limits.internal.planner.Keys;
import io.headgate.testkit.Await;
import io.netty.util.concurrent.EventExecutorGroup;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Changes and reads in an order that no server can choose. */
@Timeout(60)
class RedisBansTest {

    private static final Duration WITHIN = Duration.ofSeconds(20);
    private static final BanTarget MALLORY = BanTarget.user("mallory");

    private final AtomicReference<Consumer<String>> messages = new AtomicReference<>(message -> {});
    private final Calls calls = new Calls();
    private final RedisBans bans = new RedisBans(
            new BanIndex(TimeSource.monotonic()),
            new Keys("hg"),
            calls,
            new BlockingCalls(WITHIN, new TestFailures(), "of bans"),
            new EngineState(() -> "limits of a test"),
            TimeSource.monotonic(),
            messages::set,
            () -> {});

    @Test
    void a_lift_by_another_instance_is_not_reverted_by_the_late_result_of_an_addition() throws InterruptedException {
        calls.replies.put("add", "added 1 0 1");
        bans.add(BanRequest.ban(BanTarget.user("eve")));
        // The reply and a message about the lift arrive before the thread that adds the ban has the future of its call.
        calls.replies.put("bans", "3 e t 0 1\n* user mallory");
        Thread other = new Thread(() -> Objects.requireNonNull(messages.get()).accept("1"));
        calls.afterAdd = () -> {
            other.start();
            Await.until("the lift is read, or waits", WITHIN, () -> Set.of(State.TERMINATED, State.WAITING)
                    .contains(other.getState()));
        };
        bans.add(BanRequest.ban(MALLORY));
        other.join();
        assertThat(bans.find(MALLORY)).isEmpty();
    }

    /** Answers each call at once. */
    private static final class Calls implements RedisExecutor {

        final Map<String, String> replies = new ConcurrentHashMap<>();
        Runnable afterAdd = () -> {};

        @Override
        public <T> CompletableFuture<T> execute(ScriptCall<T> call, Runnable whenEnded) {
            String script = call.script().name();
            byte[] reply = replies.getOrDefault(script, "").getBytes(US_ASCII);
            if (script.equals("add")) {
                afterAdd.run();
            }
            return CompletableFuture.completedFuture(call.decoder().decode(reply));
        }

        @Override
        public <T, R> PairedReplies<T, R> execute(ScriptCall<T> call, TrailingCommand<R> trailing) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<byte[]> command(String name, byte[]... arguments) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean mayOvertake() {
            return false;
        }

        @Override
        public boolean isConnected() {
            return true;
        }

        @Override
        public EventExecutorGroup threads() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int callsInFlight() {
            return 0;
        }

        @Override
        public boolean isCluster() {
            return false;
        }
    }

    private static final class TestFailures implements Failures {

        @Override
        public RuntimeException failure(
                String operation, String key, String problem, boolean mayBeDone, @Nullable Throwable cause) {
            return new IllegalStateException(operation + " " + key + ": " + problem, cause);
        }

        @Override
        public String notDone(String operation) {
            return "";
        }
    }
}
