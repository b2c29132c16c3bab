package io.headgate.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionTargetsTest {

    private final ConnectionTargets<String> targets = new ConnectionTargets<>();

    private static InetAddress address(String address) {
        try {
            return InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static InetSocketAddress at(String address) {
        return new InetSocketAddress(address(address), 6379);
    }

    private static InetSocketAddress reported(String host) {
        return InetSocketAddress.createUnresolved(host, 6379);
    }

    /**
     * Returns how often the connection is closed when the master is reported ten times, and each time a new connection leads to the
     * address {@code connectedTo}.
     */
    private int timesClosed(String connectedTo, String reportedHost, String hostAddress) {
        int times = 0;
        for (int i = 0; i < 10; i++) {
            targets.connected("a", at(connectedTo));
            if (!targets.isSettled(reported(reportedHost), Set.of(address(hostAddress)))) {
                assertThat(targets.toClose(reported(reportedHost), Set.of(address(hostAddress))))
                        .containsExactly("a");
                times++;
            }
            targets.disconnected("a");
            // No connection is open.
            assertThat(targets.isSettled(reported(reportedHost), Set.of(address(hostAddress))))
                    .isTrue();
        }
        return times;
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1, 10.0.0.1",
        "10.0.0.1, one.example.com, 10.0.0.1",
        "::1, 0:0:0:0:0:0:0:1, ::1",
        "fe80::1%1, fe80::1, fe80::1",
        "::ffff:10.0.0.1, 10.0.0.1, 10.0.0.1"
    })
    void a_connection_to_the_reported_address_is_kept(String connectedTo, String reportedHost, String hostAddress) {
        assertThat(timesClosed(connectedTo, reportedHost, hostAddress)).isZero();
    }

    @Test
    void connections_to_another_port_or_address_are_closed() {
        targets.connected("a", new InetSocketAddress(address("10.0.0.1"), 6380));
        targets.connected("b", at("10.0.0.2"));
        targets.connected("c", at("10.0.0.1"));
        Set<InetAddress> addresses = Set.of(address("10.0.0.1"));
        assertThat(targets.isSettled(reported("10.0.0.1"), addresses)).isFalse();
        assertThat(targets.toClose(reported("10.0.0.1"), addresses)).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void three_connections_are_closed_after_each_change_of_master_if_addresses_never_match() {
        assertThat(timesClosed("127.0.0.1", "10.0.0.1", "10.0.0.1")).isEqualTo(3);
        assertThat(timesClosed("127.0.0.1", "10.0.0.2", "10.0.0.2")).isEqualTo(3);
        assertThat(timesClosed("127.0.0.1", "10.0.0.1", "10.0.0.1")).isEqualTo(3);
    }

    @Test
    void a_slowly_closing_connection_counts_once_and_a_correct_one_resets_the_count() {
        Set<InetAddress> addresses = Set.of(address("10.0.0.1"));
        for (int round = 0; round < 5; round++) {
            targets.connected("a", at("10.0.0.2"));
            for (int look = 0; look < 5; look++) {
                assertThat(targets.isSettled(reported("10.0.0.1"), addresses)).isFalse();
                assertThat(targets.toClose(reported("10.0.0.1"), addresses)).containsExactly("a");
            }
            targets.connected("a", at("10.0.0.1"));
            assertThat(targets.isSettled(reported("10.0.0.1"), addresses)).isTrue();
        }
    }
}
