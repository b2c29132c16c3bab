package io.headgate.testkit.internal;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection to a Redis that sends a command and waits for its reply. For one thread at a time. */
public final class RespConnection implements AutoCloseable {

    private final Socket socket;
    private final RespReader reader;

    private RespConnection(Socket socket) throws IOException {
        this.socket = socket;
        this.reader = new RespReader(new BufferedInputStream(socket.getInputStream()));
    }

    /** Connects, authenticates, and selects the database of the URL. */
    public static RespConnection open(RedisUrl url, Duration timeout) throws IOException {
        Socket socket = new Socket();
        try {
            int timeoutMillis = Math.toIntExact(timeout.toMillis());
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(timeoutMillis);
            socket.connect(new InetSocketAddress(url.host(), url.port()), timeoutMillis);
            RespConnection connection = new RespConnection(socket);
            if (!url.authentication().isEmpty()) {
                connection.prepare("AUTH", url.authentication());
            }
            if (url.database().isPresent()) {
                connection.prepare("SELECT", List.of(url.database().get()));
            }
            return connection;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Sends the command and returns its reply, as {@link RespReader} reads it. */
    @Nullable
    public Object call(byte[]... command) throws IOException {
        ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.writeBytes(ascii("*" + command.length + "\r\n"));
        for (byte[] part : command) {
            request.writeBytes(ascii("$" + part.length + "\r\n"));
            request.writeBytes(part);
            request.writeBytes(ascii("\r\n"));
        }
        request.writeTo(socket.getOutputStream());
        return reader.read();
    }

    /** Sets how long later calls wait for their reply. */
    public void setTimeout(Duration timeout) throws SocketException {
        socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
    }

    /** Waits for the reply to an earlier call that timed out. The timeout also applies to later calls. */
    @Nullable
    public Object readWithin(Duration timeout) throws IOException {
        setTimeout(timeout);
        return reader.read();
    }

    /** Sends a command in UTF-8 and returns its reply, as {@link RespReader} reads it. */
    @Nullable
    public Object call(String... command) throws IOException {
        byte[][] parts = new byte[command.length][];
        for (int i = 0; i < command.length; i++) {
            parts[i] = command[i].getBytes(StandardCharsets.UTF_8);
        }
        return call(parts);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void prepare(String command, List<String> arguments) throws IOException {
        String[] parts = new String[arguments.size() + 1];
        parts[0] = command;
        for (int i = 0; i < arguments.size(); i++) {
            parts[i + 1] = arguments.get(i);
        }
        if (call(parts) instanceof RespReader.Failure failure) {
            throw new IOException(command + " was refused: " + failure.message());
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
