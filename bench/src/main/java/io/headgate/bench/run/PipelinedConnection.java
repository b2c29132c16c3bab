package io.headgate.bench.run;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A connection to an HTTP server that sends requests without waiting for answers, which arrive in the same order. It
 * costs much less than an HTTP client of a library, which would take the processor from the server that is measured.
 */
public final class PipelinedConnection implements AutoCloseable {

    private static final String CONTENT_LENGTH = "content-length:";
    private static final String CHUNKED = "transfer-encoding: chunked";
    private static final int HEXADECIMAL = 16;

    private final Socket socket;
    private final InputStream in;
    private final Queue<IntConsumer> waiting = new ConcurrentLinkedQueue<>();
    private final Consumer<IOException> onEnd;

    /**
     * Connects to a port of this machine.
     *
     * @param onEnd receives the error after which no answer can arrive
     */
    public PipelinedConnection(int port, Consumer<IOException> onEnd) {
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
    public void get(String path, IntConsumer onStatus) {
        get(path, "", onStatus);
    }

    /**
     * Sends a GET request; the reading thread calls {@code onStatus}. For one thread at a time.
     *
     * @param fields more header fields, each followed by CR and LF
     */
    public void get(String path, String fields, IntConsumer onStatus) {
        waiting.add(onStatus);
        String request = "GET " + path + " HTTP/1.1\r\nHost: bench\r\n" + fields + "\r\n";
        try {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
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
        } catch (RuntimeException e) {
            onEnd.accept(new IOException("the application sent no valid answer", e));
        }
    }

    /** Reads a whole answer, and returns its status. */
    private int readAnswer() throws IOException {
        String[] first = readLine().split(" ");
        int length = 0;
        boolean chunked = false;
        for (String field = readLine(); !field.isEmpty(); field = readLine()) {
            if (field.regionMatches(true, 0, CONTENT_LENGTH, 0, CONTENT_LENGTH.length())) {
                length = Integer.parseInt(
                        field.substring(CONTENT_LENGTH.length()).strip());
            }
            chunked |= field.equalsIgnoreCase(CHUNKED);
        }
        if (chunked) {
            skipChunks();
        } else {
            in.skipNBytes(length);
        }
        return Integer.parseInt(first[1]);
    }

    /** Reads a body of unknown length: chunks, each after its length, of which the last one is empty. There are no fields after it. */
    private void skipChunks() throws IOException {
        int length;
        do {
            length = Integer.parseInt(readLine(), HEXADECIMAL);
            in.skipNBytes(length);
            readLine();
        } while (length > 0);
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
