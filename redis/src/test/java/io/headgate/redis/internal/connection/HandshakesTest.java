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

/** A refused connection reports the reason, even where the client library loses it. */
class HandshakesTest {

    private final Throwable lost = new RedisConnectionException(
            "Unable to connect to 127.0.0.1:6379", new RedisConnectionException("Connection closed prematurely"));
    private final Throwable wrong = new RedisConnectionException(
            "Unable to connect to 127.0.0.1:6379", new RedisCommandExecutionException("WRONGPASS invalid password"));

    private boolean isWanted = true;
    private final Deque<CompletableFuture<String>> outcomes = new ArrayDeque<>();

    private CompletionStage<String> connect() {
        return outcomes.remove();
    }

    private CompletableFuture<String> outcome() {
        return Handshakes.withReason(this::connect, () -> isWanted).toCompletableFuture();
    }

    private void come(Throwable... problems) {
        List.of(problems).forEach(problem -> outcomes.add(CompletableFuture.failedFuture(problem)));
    }

    @Test
    void a_connection_is_made_once() {
        outcomes.add(CompletableFuture.completedFuture("connected"));
        assertThat(outcome()).isCompletedWithValue("connected");
    }

    @Test
    void a_reason_is_reported_unchanged() {
        come(wrong);
        assertThatThrownBy(() -> outcome().join()).hasCause(wrong);
    }

    @Test
    void a_lost_reason_is_found_by_another_attempt() {
        come(lost, wrong);
        assertThatThrownBy(() -> outcome().join()).hasCause(wrong);
    }

    @Test
    void two_closed_connections_are_reported_as_such() {
        come(lost, lost, wrong);
        assertThatThrownBy(() -> outcome().join()).hasCause(lost);
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void a_caller_that_has_left_causes_no_second_attempt() {
        isWanted = false;
        come(lost, wrong);
        assertThatThrownBy(() -> outcome().join()).hasCause(lost);
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void the_client_library_says_so_in_these_words() throws Exception {
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
    void one_that_comes_with_the_second_try_is_the_connection() {
        come(lost);
        CompletableFuture<String> late = new CompletableFuture<>();
        outcomes.add(late);
        CompletableFuture<String> outcome = outcome();
        assertThat(outcome).isNotDone();
        late.complete("connected");
        assertThat(outcome).isCompletedWithValue("connected");
    }
}
