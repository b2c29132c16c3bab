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

    /** How often a connection that is repeatedly opened to the same address is closed, out of ten reports of the target. */
    private int timesLeft(String leadsTo, String place, String means) {
        int times = 0;
        for (int i = 0; i < 10; i++) {
            targets.connected("a", at(leadsTo));
            if (!targets.isSettled(reported(place), Set.of(address(means)))) {
                assertThat(targets.toClose(reported(place), Set.of(address(means))))
                        .containsExactly("a");
                times++;
            }
            targets.disconnected("a");
            // Between two connections.
            assertThat(targets.isSettled(reported(place), Set.of(address(means))))
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
    void one_that_leads_there_stays(String leadsTo, String place, String means) {
        assertThat(timesLeft(leadsTo, place, means)).isZero();
    }

    @Test
    void one_to_another_port_or_address_is_left() {
        targets.connected("a", new InetSocketAddress(address("10.0.0.1"), 6380));
        targets.connected("b", at("10.0.0.2"));
        targets.connected("c", at("10.0.0.1"));
        Set<InetAddress> addresses = Set.of(address("10.0.0.1"));
        assertThat(targets.isSettled(reported("10.0.0.1"), addresses)).isFalse();
        assertThat(targets.toClose(reported("10.0.0.1"), addresses)).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void where_addresses_never_agree_each_reported_target_costs_three_connections() {
        assertThat(timesLeft("127.0.0.1", "10.0.0.1", "10.0.0.1")).isEqualTo(3);
        assertThat(timesLeft("127.0.0.1", "10.0.0.2", "10.0.0.2")).isEqualTo(3);
        assertThat(timesLeft("127.0.0.1", "10.0.0.1", "10.0.0.1")).isEqualTo(3);
    }

    @Test
    void one_that_is_slow_to_go_counts_once_and_one_that_leads_there_again_makes_good() {
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
