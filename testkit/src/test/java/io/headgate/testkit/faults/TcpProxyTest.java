package io.headgate.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.Await;
import io.headgate.testkit.internal.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A proxy before a server that returns each byte. */
@Timeout(120)
class TcpProxyTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int SHORT_MILLIS = 300;

    private final ServerSocket server = LoopbackPorts.listen();
    private final TcpProxy proxy = TcpProxy.before(server.getLocalPort());

    @BeforeEach
    void serve() {
        daemon(() -> {
            while (true) {
                Socket accepted = server.accept();
                daemon(() -> accepted.getInputStream().transferTo(accepted.getOutputStream()));
            }
        });
    }

    private interface Task {
        void run() throws IOException;
    }

    private static void daemon(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException e) {
                return; // a socket was closed
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @AfterEach
    void close() throws IOException {
        proxy.close();
        server.close();
    }

    private Socket connect() throws IOException {
        return connect((int) LONG.toMillis());
    }

    private Socket connect(int timeoutMillis) throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), proxy.port()), timeoutMillis);
        socket.setSoTimeout(timeoutMillis);
        return socket;
    }

    private static int echo(Socket socket) throws IOException {
        socket.getOutputStream().write(7);
        return socket.getInputStream().read();
    }

    @Test
    void bytes_are_forwarded_in_both_directions() throws IOException {
        try (Socket socket = connect()) {
            assertThat(echo(socket)).isEqualTo(7);
        }
        Await.until("the end of the connection", LONG, () -> proxy.connectionsOpen() == 0);
    }

    @Test
    void a_black_hole_swallows_bytes_and_connections_until_new_ones_are_accepted_again() throws IOException {
        try (Socket socket = connect()) {
            assertThat(echo(socket)).isEqualTo(7);
            proxy.blackHole();
            socket.setSoTimeout(SHORT_MILLIS);
            assertThatThrownBy(() -> echo(socket)).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> connect(SHORT_MILLIS)).isInstanceOf(SocketTimeoutException.class);
            proxy.resume();
            assertThatThrownBy(() -> echo(socket)).as("it has lost bytes").isInstanceOf(SocketTimeoutException.class);
            try (Socket next = connect()) {
                assertThat(echo(next)).isEqualTo(7);
            }
        }
    }

    @Test
    void refused_connections_end() throws IOException {
        try (Socket socket = connect()) {
            assertThat(echo(socket)).isEqualTo(7);
            proxy.refuseConnections();
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
            assertThatThrownBy(this::connect).isInstanceOf(IOException.class);
            proxy.resume();
            try (Socket next = connect()) {
                assertThat(echo(next)).isEqualTo(7);
            }
        }
    }
}
