package io.headgate.testkit.hostile;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A well-behaved client that sends checks over HTTP/1 until it is closed, counts the responses with 200 and records all others. */
public final class SecondClient implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final byte[] CHECK =
            "GET /check/api?user=bob HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final InetSocketAddress server;
    private final Thread thread = new Thread(this::run, "second-client");
    private final AtomicLong answered = new AtomicLong();
    private final List<String> lost = new CopyOnWriteArrayList<>();
    private volatile boolean closed;

    private SecondClient(InetSocketAddress server) {
        this.server = server;
    }

    public static SecondClient start(InetSocketAddress server) {
        SecondClient started = new SecondClient(server);
        started.thread.setDaemon(true);
        started.thread.start();
        return started;
    }

    private void run() {
        while (!closed) {
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.connect(server, TIMEOUT_MILLIS);
                while (!closed) {
                    socket.getOutputStream().write(CHECK);
                    String head = head(socket.getInputStream());
                    if (head.startsWith("HTTP/1.1 200 ")) {
                        answered.incrementAndGet();
                    } else {
                        lost.add(head.lines().findFirst().orElse(""));
                        break;
                    }
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (IOException e) {
                lost.add(e.toString());
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** The status line and fields; an admitted check has no body. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the server closed the connection after " + head.length() + " bytes");
            }
            head.append((char) next);
        }
        return head.toString();
    }

    /** The number of checks that were answered 200 so far. */
    public long answered() {
        return answered.get();
    }

    /** The status lines and errors of the checks that were not answered 200. */
    public List<String> lost() {
        return List.copyOf(lost);
    }

    /** Ends the client after the response to its last check. */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
