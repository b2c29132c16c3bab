package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A connection that Redis rejects, for example for a wrong password, fails with the reason, even if the first attempt loses the reason. */
class HandshakesTest {

    private final Throwable reasonLost = new RedisConnectionException(
            "Unable to connect to 127.0.0.1:6379", new RedisConnectionException("Connection closed prematurely"));
    private final Throwable wrongPassword = new RedisConnectionException(
            "Unable to connect to 127.0.0.1:6379", new RedisCommandExecutionException("WRONGPASS invalid password"));

    private boolean isCallerWaiting = true;
    private final Deque<CompletableFuture<String>> attempts = new ArrayDeque<>();

    private CompletionStage<String> connect() {
        return attempts.remove();
    }

    private CompletableFuture<String> outcome() {
        return Handshakes.withReason(this::connect, () -> isCallerWaiting).toCompletableFuture();
    }

    private void addFailedAttempts(Throwable... problems) {
        List.of(problems).forEach(problem -> attempts.add(CompletableFuture.failedFuture(problem)));
    }

    @Test
    void a_successful_attempt_is_not_repeated() {
        attempts.add(CompletableFuture.completedFuture("connected"));
        assertThat(outcome()).isCompletedWithValue("connected");
    }

    @Test
    void a_reason_is_reported_unchanged() {
        addFailedAttempts(wrongPassword);
        assertThatThrownBy(() -> outcome().join()).hasCause(wrongPassword);
    }

    @Test
    void a_lost_reason_is_found_by_another_attempt() {
        addFailedAttempts(reasonLost, wrongPassword);
        assertThatThrownBy(() -> outcome().join()).hasCause(wrongPassword);
    }

    @Test
    void two_closed_connections_are_reported_as_such() {
        addFailedAttempts(reasonLost, reasonLost, wrongPassword);
        assertThatThrownBy(() -> outcome().join()).hasCause(reasonLost);
        assertThat(attempts).hasSize(1);
    }

    @Test
    void without_a_waiting_caller_there_is_no_second_attempt() {
        isCallerWaiting = false;
        addFailedAttempts(reasonLost, wrongPassword);
        assertThatThrownBy(() -> outcome().join()).hasCause(reasonLost);
        assertThat(attempts).hasSize(1);
    }

    @Test
    void the_exception_of_lettuce_for_a_closed_connection_is_recognized() throws Exception {
        RedisClient client = RedisClient.create();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<?> connecting = client.connectAsync(
                            StringCodec.UTF8, RedisURI.create("127.0.0.1", server.getLocalPort()))
                    .toCompletableFuture();
            server.accept().close();
            assertThatThrownBy(connecting::join).satisfies(problem -> assertThat(RedisProblems.isReasonLost(problem))
                    .isTrue());
        } finally {
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @Test
    void a_connection_of_the_second_attempt_is_returned() {
        addFailedAttempts(reasonLost);
        CompletableFuture<String> late = new CompletableFuture<>();
        attempts.add(late);
        CompletableFuture<String> outcome = outcome();
        assertThat(outcome).isNotDone();
        late.complete("connected");
        assertThat(outcome).isCompletedWithValue("connected");
    }
}
