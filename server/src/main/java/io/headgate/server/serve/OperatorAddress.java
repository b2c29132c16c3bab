package io.headgate.server.serve;

import com.linecorp.armeria.common.Flags;
import com.linecorp.armeria.common.util.DomainSocketAddress;
import io.headgate.server.cli.StartException;
import io.headgate.server.text.Quoted;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The address of the listener for operators: {@code HOST:PORT}, or {@code unix:/path} for a Unix socket. */
final class OperatorAddress {

    private static final String OPTION = "--operator-bind";
    private static final String EXPECTED = " must be HOST:PORT with an address of this machine, such as 127.0.0.1:8081"
            + " or [::1]:8081, or a Unix socket, such as unix:/run/headgate/operators.sock";
    private static final String UNIX = "unix:";
    private static final Pattern HOST_AND_PORT = Pattern.compile("(\\[[0-9a-fA-F:.%]+]|[^\\[\\]:]+):([0-9]{1,5})");
    private static final int MAX_PORT = 65_535;

    /** The longest path of a Unix socket on Linux. */
    private static final int MAX_PATH_BYTES = 107;

    /** The bits of a file's mode that state its type, and their value for a socket; see {@code stat(2)}. */
    private static final int FILE_TYPE = 0170000;

    private static final int SOCKET = 0140000;

    private OperatorAddress() {}

    /**
     * Reads the value of the option.
     *
     * @throws IllegalArgumentException if it is no such address
     */
    static InetSocketAddress parse(String given) {
        if (given.startsWith(UNIX)) {
            return socket(given.substring(UNIX.length()));
        }
        Matcher matcher = HOST_AND_PORT.matcher(given);
        if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
            throw new IllegalArgumentException(OPTION + EXPECTED + ", was " + Quoted.of(given));
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(matcher.group(1)), Integer.parseInt(matcher.group(2)));
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(OPTION + EXPECTED + ", was " + Quoted.of(given), e);
        }
    }

    private static DomainSocketAddress socket(String path) {
        int bytes = path.getBytes(StandardCharsets.UTF_8).length;
        if (!path.startsWith("/") || bytes > MAX_PATH_BYTES) {
            throw new IllegalArgumentException(OPTION + ": the path of a Unix socket must be absolute and at most "
                    + MAX_PATH_BYTES + " bytes long, was " + Quoted.of(path));
        }
        if (!Flags.transportType().supportsDomainSockets()) {
            throw new IllegalArgumentException(OPTION + ": this system has no support for Unix sockets, which need"
                    + " Linux or macOS; give HOST:PORT");
        }
        return DomainSocketAddress.of(path);
    }

    /**
     * Checks that the address is free. Removes a socket file without a listener, which a killed server leaves.
     *
     * @throws StartException if it is not free
     */
    static void requireFree(InetSocketAddress address) {
        if (!(address instanceof DomainSocketAddress socket)) {
            ListenAddress.requireFree(address, OPTION, OPTION);
            return;
        }
        Path path = Path.of(socket.path());
        try {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                return;
            }
            if (!isSocket(path)) {
                throw StartException.failed(
                        path + " exists and is not a socket; choose another path with " + OPTION + ", or remove it");
            }
            if (isListening(path)) {
                throw StartException.failed(
                        "another process listens on " + path + "; choose another path with " + OPTION);
            }
            Files.deleteIfExists(path);
        } catch (IOException e) {
            throw StartException.failed("can't listen on " + path + ": " + e);
        }
    }

    /** Whether the file is a socket: other special files, such as devices, must not be removed. */
    private static boolean isSocket(Path path) throws IOException {
        Object mode = Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
        return mode instanceof Integer bits && (bits & FILE_TYPE) == SOCKET;
    }

    /**
     * Returns whether a process listens on a socket.
     *
     * @throws IOException if that is not known, for example because another user owns the socket
     */
    private static boolean isListening(Path path) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(path));
        } catch (ConnectException refused) {
            return false;
        }
    }

    /** Lets only the user of this process connect to a Unix socket. */
    static void restrict(InetSocketAddress address) {
        if (address instanceof DomainSocketAddress socket) {
            try {
                Files.setPosixFilePermissions(Path.of(socket.path()), PosixFilePermissions.fromString("rw-------"));
            } catch (IOException e) {
                throw StartException.failed("can't set the permissions of " + socket.path() + ": " + e);
            }
        }
    }

    /** The exception for an address that the system rejected. */
    static StartException failure(InetSocketAddress address, Throwable cause) {
        return address instanceof DomainSocketAddress socket
                ? StartException.failed("can't listen on " + socket.path() + ": " + cause.getMessage())
                : ListenAddress.failure(address, cause, OPTION, OPTION);
    }
}
