package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.redis.internal.script.Script;
import io.headgate.redis.internal.script.ScriptCall;
import io.headgate.testkit.Await;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call is kept until its command has ended, even after its caller has received a timeout. */
class FlightsTest {

    private static final Duration LONG = Duration.ofSeconds(20);
    private static final byte[] PONG = "pong".getBytes(StandardCharsets.US_ASCII);
    private static final ScriptCall<byte[]> PING =
            new ScriptCall<>(Script.of("ping", "return 'pong'"), new String[0], new byte[0][], reply -> reply);

    private final DefaultEventExecutorGroup threads = new DefaultEventExecutorGroup(2);
    private final Flights flights = new Flights(Duration.ofMillis(50), threads, () -> {});

    @AfterEach
    void stop() {
        threads.shutdownGracefully(0, 2, TimeUnit.SECONDS);
    }

    @Test
    void an_answered_call_is_not_kept() {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 100; i++) {
                add(Long.MAX_VALUE / 2).land(PONG, null);
            }
            Await.until("none to be kept", LONG, flights::isEmpty);
        }
    }

    @Test
    void a_timed_out_call_is_kept_until_its_command_has_ended() {
        Flight<byte[]> late = add(0);
        assertThat(late).failsWithin(LONG);
        Flight<byte[]> next = add(0);
        assertThat(next).failsWithin(LONG);
        flights.stopAll("the connection broke", flight -> true);
        assertThat(late.hasEnded()).isTrue();
        assertThat(next.hasEnded()).isTrue();
        assertThat(flights.isEmpty()).isTrue();
    }

    /** Adds a call whose timeout is this long from now. */
    private Flight<byte[]> add(long nanosFromNow) {
        Flight<byte[]> flight = new Flight<>(PING, new RecordedFailures(), System.nanoTime() + nanosFromNow);
        flights.add(flight);
        return flight;
    }
}
