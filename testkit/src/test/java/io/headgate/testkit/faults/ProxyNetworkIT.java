package io.headgate.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import io.headgate.testkit.internal.RedisUrl;
import io.headgate.testkit.internal.RespConnection;
import io.headgate.testkit.internal.RespReader;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Faults of networks and servers beyond cut connections, as a client observes them. */
@Timeout(120)
class ProxyNetworkIT {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofMillis(200);

    private static final RedisServer REDIS = RedisServer.startOwn();

    private final RedisProbe probe = RedisProbe.of(REDIS.url());
    private final FaultProxy proxy = FaultProxy.before(REDIS.url());

    @AfterAll
    static void stop() {
        REDIS.close();
    }

    @AfterEach
    void close() {
        proxy.close();
        probe.flushAll();
        probe.close();
    }

    @Test
    void a_lost_request_is_never_executed_and_its_connection_stays_dead_while_others_work() throws Exception {
        try (RespConnection dead = connect(LONG);
                RespConnection lucky = connect(LONG)) {
            dead.call("PING");
            lucky.call("PING");
            proxy.dropRequests();
            dead.setTimeout(SHORT);
            assertThatThrownBy(() -> dead.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            proxy.awaitCommands("INCR", 1, LONG);
            proxy.resume();

            assertThatThrownBy(() -> dead.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            assertThat(lucky.call("INCR", "count")).isEqualTo(1L);
            assertThat(proxy.connectionsOpen()).isEqualTo(2);
        }
        Await.until("the proxy to notice the closed connections", LONG, () -> proxy.connectionsOpen() == 0);
    }

    @Test
    void a_reply_to_an_earlier_request_still_arrives_while_requests_are_lost() throws Exception {
        try (Socket socket = plainSocket()) {
            proxy.holdReplies();
            socket.getOutputStream().write(utf8("INCR count\r\n"));
            // The proxy counts a command before it forwards it.
            Await.until("Redis to have executed the command", LONG, () -> "1".equals(probe.command("GET", "count")));
            proxy.dropRequests();
            proxy.releaseReplies();
            assertThat(socket.getInputStream().readNBytes(4)).isEqualTo(utf8(":1\r\n"));
        }
    }

    @Test
    void a_request_whose_reply_is_lost_is_executed_and_its_reply_does_not_arrive_later() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.dropReplies();
            client.setTimeout(SHORT);
            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            proxy.awaitLostReplies(1, LONG);
            assertThat(probe.command("GET", "count")).isEqualTo("1");
            proxy.resume();

            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            proxy.awaitLostReplies(2, LONG);
            assertThat(probe.command("GET", "count")).isEqualTo("2");
        }
        assertThat(callOnce("INCR", "count")).isEqualTo(3L);
    }

    @Test
    void while_replies_are_lost_a_client_does_not_notice_the_death_of_redis() throws Exception {
        try (RedisServer own = RedisServer.startOwn();
                FaultProxy before = FaultProxy.before(own.url());
                RespConnection client = RespConnection.open(RedisUrl.parse(before.url()), LONG)) {
            client.call("PING");
            before.dropReplies();
            own.kill();
            client.setTimeout(SHORT);
            assertThatThrownBy(() -> client.call("PING")).isInstanceOf(SocketTimeoutException.class);
            assertThat(before.connectionsOpen()).isEqualTo(1);
        }
    }

    @Test
    void a_client_that_connects_while_requests_are_lost_is_accepted_but_never_served() throws Exception {
        proxy.dropRequests();
        try (RespConnection client = connect(LONG)) {
            client.setTimeout(SHORT);
            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            proxy.awaitConnections(1, LONG);
            proxy.resume();
            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
        }
        assertThat(callOnce("INCR", "count")).isEqualTo(1L);
    }

    @Test
    void new_connections_receive_no_answer_and_open_ones_still_work() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.ignoreConnections();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> connect(SHORT))
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessageContaining("Connect timed out");
            }
            assertThat(client.call("INCR", "count")).isEqualTo(1L);

            proxy.acceptConnections();
            assertThat(callOnce("INCR", "count")).isEqualTo(2L);
        }
    }

    @Test
    void a_black_hole_ends_no_connection_answers_no_request_and_accepts_no_client() throws Exception {
        try (RespConnection client = connect(LONG)) {
            client.call("PING");
            proxy.blackHole();
            client.setTimeout(SHORT);
            assertThatThrownBy(() -> client.call("INCR", "count")).isInstanceOf(SocketTimeoutException.class);
            proxy.awaitCommands("INCR", 1, LONG);
            assertThatThrownBy(() -> connect(SHORT)).isInstanceOf(SocketTimeoutException.class);
            assertThat(probe.command("GET", "count")).isNull();
        }
        proxy.resume();
        assertThat(callOnce("INCR", "count")).isEqualTo(1L);
    }

    @Test
    void a_reply_is_reset_after_the_given_number_of_bytes() throws Exception {
        probe.command("SET", "key", "0123456789");
        proxy.resetNextReplyAfter(8);
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("GET key\r\n"));
            assertThat(socket.getInputStream().readNBytes(8)).isEqualTo(utf8("$10\r\n012"));
            assertThatThrownBy(() -> socket.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
        }
        proxy.awaitCut(LONG);
    }

    @Test
    void reset_all_resets_every_client_and_lets_them_reconnect() throws Exception {
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("PING\r\n"));
            assertThat(socket.getInputStream().readNBytes(7)).isEqualTo(utf8("+PONG\r\n"));
            proxy.resetAll();
            assertThatThrownBy(() -> socket.getInputStream().read()).hasMessageContaining("reset");
        }
        assertThat(callOnce("PING")).isEqualTo(utf8("PONG"));
    }

    @Test
    void throttled_replies_arrive_complete_at_the_given_rate() throws Exception {
        probe.command("SET", "key", "x".repeat(1_000));
        proxy.throttleReplies(2_000);
        try (RespConnection client = connect(LONG)) {
            long start = System.nanoTime();
            assertThat(client.call("GET", "key")).isEqualTo(utf8("x".repeat(1_000)));
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(500));
        }
    }

    @Test
    void ending_a_throttle_delivers_the_rest_immediately() throws Exception {
        probe.command("SET", "key", "x".repeat(1_000));
        proxy.throttleReplies(1);
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("GET key\r\n"));
            assertThat(socket.getInputStream().read()).isEqualTo('$');
            proxy.resume();
            assertThat(socket.getInputStream().readNBytes(1_008)).hasSize(1_008);
        }
    }

    @Test
    void named_commands_are_answered_with_an_error_and_never_reach_redis_until_resumed() throws Exception {
        proxy.answerWithError("LOADING Redis is loading", "incr");
        try (RespConnection client = connect(LONG)) {
            for (int i = 0; i < 2; i++) {
                assertThat(client.call("INCR", "count")).isEqualTo(new RespReader.Failure("LOADING Redis is loading"));
            }
            assertThat(client.call("PING")).isEqualTo(utf8("PONG"));
            proxy.resume();
            assertThat(client.call("INCR", "count")).isEqualTo(1L);
        }
    }

    @Test
    void an_error_for_the_next_command_answers_one_command_of_any_kind() throws Exception {
        proxy.answerNextWithError("TRYAGAIN later");
        proxy.answerNextWithError("CLUSTERDOWN gone");
        try (RespConnection client = connect(LONG)) {
            assertThat(client.call("INCR", "count")).isEqualTo(new RespReader.Failure("TRYAGAIN later"));
            assertThat(client.call("PING")).isEqualTo(new RespReader.Failure("CLUSTERDOWN gone"));
            assertThat(client.call("INCR", "count")).isEqualTo(1L);
        }
    }

    @Test
    void errors_and_replies_of_redis_keep_the_order_of_the_requests() throws Exception {
        proxy.answerWithError("OOM full", "SET");
        try (Socket socket = plainSocket()) {
            socket.getOutputStream().write(utf8("PING\r\n"));
            assertThat(socket.getInputStream().readNBytes(7)).isEqualTo(utf8("+PONG\r\n"));
            REDIS.pause();
            socket.getOutputStream().write(utf8("INCR a\r\nSET a 1\r\nSET a 1\r\nINCR a\r\nSET a 1\r\n"));
            proxy.awaitCommands("SET", 3, LONG);
            REDIS.resume();
            assertThat(new String(socket.getInputStream().readNBytes(41), StandardCharsets.UTF_8))
                    .isEqualTo(":1\r\n-OOM full\r\n-OOM full\r\n:2\r\n-OOM full\r\n");
        }
    }

    @Test
    void a_cut_also_applies_to_an_answer_of_the_proxy() throws Exception {
        proxy.answerWithError("OOM full", "SET");
        proxy.cutNextReplyTo("SET");
        assertThatThrownBy(() -> callOnce("SET", "a", "1")).isInstanceOf(EOFException.class);
        proxy.awaitCut(LONG);
    }

    @Test
    void values_out_of_range_are_rejected() {
        assertThatThrownBy(() -> proxy.throttleReplies(0)).hasMessage("bytes a second must be 1 or more, was 0");
        assertThatThrownBy(() -> proxy.resetNextReplyAfter(-1))
                .hasMessage("bytes that get through must be 0 or more, was -1");
        assertThatThrownBy(() -> proxy.answerWithError("a\r\nb")).hasMessageStartingWith("an error is one line");
    }

    private RespConnection connect(Duration timeout) throws IOException {
        return RespConnection.open(RedisUrl.parse(proxy.url()), timeout);
    }

    private Socket plainSocket() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
        socket.setSoTimeout((int) LONG.toMillis());
        return socket;
    }

    private Object callOnce(String... command) throws IOException {
        try (RespConnection client = connect(LONG)) {
            Object reply = client.call(command);
            return reply == null ? "nil" : reply;
        }
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
