package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of Host that a listener at port 8080 accepts. */
class AllowedHostsTest {

    private static final int PORT = 8080;

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, localhost, true",
        "127.0.0.1, LOCALHOST:8080, true",
        "127.0.0.1, localhost.:8080, true",
        "127.0.0.1, localhost:8081, false",
        "127.0.0.1, 127.0.0.1:8080, true",
        "127.0.0.1, 127.8.9.10:8080, true",
        "127.0.0.1, [::1]:8080, true",
        "127.0.0.1, 10.0.0.5:8080, false",
        "127.0.0.1, evil.example:8080, false",
        "127.0.0.1, localhost.evil.example:8080, false",
        "127.0.0.1, evil.example@localhost:8080, false",
        "127.0.0.1, 127.0.0.1.evil.example, false",
        "127.0.0.1, 'localhost, evil.example', false",
        "127.0.0.1, localhost:, false",
        "127.0.0.1, '', false",
        "10.0.0.5, 10.0.0.5:8080, true",
        "10.0.0.5, 10.0.0.6:8080, false",
        "10.0.0.5, localhost:8080, true",
        "0.0.0.0, 10.0.0.6:8080, true",
        "0.0.0.0, 10.0.0.6:9000, false",
        "0.0.0.0, [fd00::7]:8080, true",
        "0.0.0.0, headgate.prod.svc:8080, false",
        "::, 192.0.2.7, true",
    })
    void the_names_of_the_listener_are_allowed_and_no_others(String bind, String host, boolean allowed) {
        assertThat(hosts(bind).allows(host, PORT)).isEqualTo(allowed);
    }

    @Test
    void a_name_is_allowed_for_every_port_and_a_name_with_a_port_for_that_one() {
        AllowedHosts hosts = hosts("0.0.0.0", "Headgate.prod.svc", "edge:9000", "[fd00::7]");

        assertThat(List.of("headgate.prod.svc", "headgate.prod.svc:80", "HEADGATE.PROD.SVC:8080", "edge:9000"))
                .allMatch(host -> hosts.allows(host, PORT));
        assertThat(hosts.allows("[fd00::7]:1", PORT)).isTrue();
        assertThat(List.of("edge", "edge:8080", "prod.svc", "x.headgate.prod.svc"))
                .noneMatch(host -> hosts.allows(host, PORT));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "http://headgate", "a b", "*", "headgate:", "headgate:123456", "fd00::7"})
    void an_invalid_name_is_refused_and_shown(String name) {
        assertThatThrownBy(() -> hosts("127.0.0.1", name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an allowed host must be " + AllowedHosts.EXPECTED + ", was \"" + name + "\"");
    }

    private static AllowedHosts hosts(String bind, String... more) {
        return new AllowedHosts(new InetSocketAddress(bind, PORT), List.of(more));
    }
}
