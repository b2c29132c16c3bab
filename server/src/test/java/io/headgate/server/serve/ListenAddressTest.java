package io.headgate.server.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.server.cli.StartException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;

/** Explanations of addresses on which the server cannot listen. */
class ListenAddressTest {

    @Test
    void a_port_that_is_taken_is_named_before_anything_is_started() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket other = new ServerSocket(0, 1, loopback)) {
            int port = other.getLocalPort();

            assertThatThrownBy(() -> ListenAddress.requireFree(new InetSocketAddress(loopback, port)))
                    .isInstanceOf(StartException.class)
                    .hasMessage("port " + port + " is in use at 127.0.0.1; choose another with --port");
        }
        ListenAddress.requireFree(new InetSocketAddress(loopback, 0));
    }

    @Test
    void an_address_of_another_machine_is_named() throws IOException {
        InetSocketAddress other =
                new InetSocketAddress(InetAddress.getByAddress(new byte[] {(byte) 192, 0, 2, 1}), 8080);

        assertThat(ListenAddress.failure(other, new BindException("Cannot assign requested address")))
                .hasMessage("192.0.2.1 is not an address of this machine; choose another with --bind");
    }

    @Test
    void a_port_that_only_root_may_take_is_named() {
        InetSocketAddress low = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);

        assertThat(ListenAddress.failure(low, new BindException("Permission denied")))
                .hasMessage("this user may not listen at port 80 of 127.0.0.1; choose one from 1024 with --port");
    }

    @Test
    void any_other_failure_has_the_message_of_the_system() {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 80);

        assertThat(ListenAddress.failure(address, new IOException("out of luck")))
                .hasMessage("can't listen at port 80 of 127.0.0.1: out of luck");
    }
}
