package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.attributes.RequestView;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class TrustedProxiesOptionTest {

    @Command
    static final class Options {

        @Mixin
        private TrustedProxies proxies = new TrustedProxies();
    }

    /** The client of a request that a proxy sent, as text to count by. */
    private static Optional<String> client(String field, String value, String... arguments) {
        Options options = new Options();
        new CommandLine(options).parseArgs(arguments);
        return options.proxies.clientAddress().orElseThrow().text(new RequestView() {
            @Override
            public String method() {
                return "GET";
            }

            @Override
            public String path() {
                return "/";
            }

            @Override
            public Optional<String> query() {
                return Optional.empty();
            }

            @Override
            public List<String> headers(String name) {
                return name.equalsIgnoreCase(field) ? List.of(value) : List.of();
            }

            @Override
            public Optional<InetAddress> peerAddress() {
                return Optional.of(InetAddress.getLoopbackAddress());
            }
        });
    }

    @Test
    void a_network_of_64_bits_counts_as_one_client_or_of_another_length() {
        String address = "2001:db8:1:2:3::4";
        assertThat(client("X-Forwarded-For", address, "--trusted-proxies", "1")).contains("2001:db8:1:2::/64");
        assertThat(client("X-Forwarded-For", address, "--trusted-proxies", "1", "--ipv6-prefix", "48"))
                .contains("2001:db8:1::/48");
        assertThat(client(
                        "Forwarded",
                        "for=\"[" + address + "]\"",
                        "--trusted-proxies",
                        "1",
                        "--ipv6-prefix",
                        "128",
                        "--forwarded-field",
                        "Forwarded"))
                .contains("2001:db8:1:2:3::4");
    }
}
