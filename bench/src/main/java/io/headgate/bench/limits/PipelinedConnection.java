package io.headgate.bench.limits;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A connection to an HTTP server that sends requests without waiting for answers, which arrive in the same order. It
 * costs much less than an HTTP client of a library, which would take the processor from the server that is measured.
 */
final class PipelinedConnection implements AutoCloseable {

    private static final String CONTENT_LENGTH = "content-length:";

    private final Socket socket;
    private final InputStream in;
    private final Queue<IntConsumer> waiting = new ConcurrentLinkedQueue<>();
    private final Consumer<IOException> onEnd;

    /**
     * Connects to a port of this machine.
     *
     * @param onEnd receives the error after which no answer can arrive
     */
    PipelinedConnection(int port, Consumer<IOException> onEnd) {
        try {
            this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
            this.socket.setTcpNoDelay(true);
            this.in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot connect to port " + port, e);
        }
        this.onEnd = onEnd;
        Thread reader = new Thread(this::read, "bench-answers");
        reader.setDaemon(true);
        reader.start();
    }

    /** Sends a GET request; the reading thread calls {@code onStatus}. For one thread at a time. */
    void get(String path, IntConsumer onStatus) {
        waiting.add(onStatus);
        try {
            socket.getOutputStream()
                    .write(("GET " + path + " HTTP/1.1\r\nHost: bench\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot send " + path, e);
        }
    }

    private void read() {
        try {
            while (true) {
                int status = readAnswer();
                waiting.remove().accept(status);
            }
        } catch (IOException e) {
            onEnd.accept(e);
        }
    }

    /** Reads a whole answer, and returns its status. */
    private int readAnswer() throws IOException {
        String[] first = readLine().split(" ");
        int length = 0;
        for (String field = readLine(); !field.isEmpty(); field = readLine()) {
            if (field.toLowerCase(Locale.ROOT).startsWith(CONTENT_LENGTH)) {
                length = Integer.parseInt(
                        field.substring(CONTENT_LENGTH.length()).strip());
            }
        }
        in.skipNBytes(length);
        return Integer.parseInt(first[1]);
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the application closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot close a connection", e);
        }
    }
}
