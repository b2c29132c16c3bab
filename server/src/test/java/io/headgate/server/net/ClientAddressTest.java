package io.headgate.server.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The addresses that count as one client for the bound on connections. The channels are Netty's own for tests, because a machine has few
 * addresses.
 */
class ClientAddressTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.1",
        "192.0.2.1, ::ffff:192.0.2.1",
        "2001:db8:1:2::1, 2001:db8:1:2::1",
        "2001:db8:1:2::1, 2001:db8:1:2:ffff:ffff:ffff:ffff",
        "fe80::1%1, fe80::2",
        "::1, ::2",
    })
    void these_addresses_are_one_client(String one, String other) throws UnknownHostException {
        assertThat(secondIsOpen(one, other)).isFalse();
        assertThat(secondIsOpen(other, one)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.1, 192.0.2.2",
        "192.0.2.1, ::ffff:192.0.2.2",
        "::ffff:192.0.2.1, ::ffff:192.0.2.2",
        "2001:db8:1:2::1, 2001:db8:1:3::1",
        "2001:db8:1:2::1, 2001:db8:2:2::1",
    })
    void these_addresses_are_two_clients(String one, String other) throws UnknownHostException {
        assertThat(secondIsOpen(one, other)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"192.0.2.1, 192.0.2.1", "2001:db8:1:2::1, 2001:db8:1:2::2"})
    void a_client_that_closes_its_connection_may_open_another(String one, String other) throws UnknownHostException {
        ConnectionBounds bounds = new ConnectionBounds(1, 1);
        connect(bounds, one).close();

        assertThat(connect(bounds, other).isOpen()).isTrue();
    }

    /** Returns whether the second connection stays open if each client may have one. */
    private static boolean secondIsOpen(String one, String other) throws UnknownHostException {
        ConnectionBounds bounds = new ConnectionBounds(1, 1);
        assertThat(connect(bounds, one).isOpen()).isTrue();
        return connect(bounds, other).isOpen();
    }

    private static EmbeddedChannel connect(ConnectionBounds bounds, String from) throws UnknownHostException {
        InetSocketAddress remote = new InetSocketAddress(address(from), 40_000);
        EmbeddedChannel channel = new EmbeddedChannel() {
            @Override
            protected SocketAddress remoteAddress0() {
                return remote;
            }
        };
        // The decoder of Armeria, before which install() adds its handler.
        channel.pipeline().addLast("Http2PrefaceOrHttpHandler", new ChannelInboundHandlerAdapter());
        bounds.install(channel.pipeline());
        return channel;
    }

    /** Parses an address. An IPv4-mapped one stays an IPv6 address, as a transport may provide it; most of the JDK turns it into IPv4. */
    private static InetAddress address(String text) throws UnknownHostException {
        if (!text.startsWith("::ffff:")) {
            return InetAddress.getByName(text);
        }
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xff;
        mapped[11] = (byte) 0xff;
        System.arraycopy(InetAddress.getByName(text.substring(7)).getAddress(), 0, mapped, 12, 4);
        return Inet6Address.getByAddress(null, mapped, -1);
    }
}
