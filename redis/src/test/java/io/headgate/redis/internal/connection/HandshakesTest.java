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

/** Whether who is refused hears why, whatever the client library makes of it. */
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

    private CompletableFuture<String> heard() {
        return Handshakes.withReason(this::connect, () -> isWanted).toCompletableFuture();
    }

    private void come(Throwable... problems) {
        List.of(problems).forEach(problem -> outcomes.add(CompletableFuture.failedFuture(problem)));
    }

    @Test
    void a_connection_is_made_once() {
        outcomes.add(CompletableFuture.completedFuture("connected"));
        assertThat(heard()).isCompletedWithValue("connected");
    }

    @Test
    void a_reason_is_told_as_it_is() {
        come(wrong);
        assertThatThrownBy(() -> heard().join()).hasCause(wrong);
    }

    @Test
    void a_reason_that_got_lost_is_asked_for_again() {
        come(lost, wrong);
        assertThatThrownBy(() -> heard().join()).hasCause(wrong);
    }

    @Test
    void who_is_cut_off_twice_is_told_so() {
        come(lost, lost, wrong);
        assertThatThrownBy(() -> heard().join()).hasCause(lost);
        assertThat(outcomes).hasSize(1);
    }

    @Test
    void nobody_connects_for_who_has_left() {
        isWanted = false;
        come(lost, wrong);
        assertThatThrownBy(() -> heard().join()).hasCause(lost);
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
        CompletableFuture<String> heard = heard();
        assertThat(heard).isNotDone();
        late.complete("connected");
        assertThat(heard).isCompletedWithValue("connected");
    }
}
