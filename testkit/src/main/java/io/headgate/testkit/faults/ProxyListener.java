package io.headgate.testkit.faults;

import io.headgate.testkit.internal.LoopbackPorts;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Accepts clients on one port of the loopback address. When it is closed, the system refuses clients. When it ignores clients, they
 * receive no answer. It can be opened again.
 */
final class ProxyListener {

    private static final Duration REOPEN_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration RETRY_INTERVAL = Duration.ofMillis(5);

    /** A connection to this machine that takes this long receives no answer. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(250);

    private static final int BACKLOG = 50;
    private static final int MAX_FILLERS = 1_000;

    private final int port;
    private final Consumer<Socket> onConnect;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<Listener> listener;

    /**
     * A listening socket.
     *
     * @param thread accepts clients; empty while clients are ignored
     * @param fillers connections of this listener to itself that fill the backlog while clients are ignored
     */
    private record Listener(ServerSocket socket, Optional<Thread> thread, List<Socket> fillers) {}

    /** Opens on a free port. */
    ProxyListener(Consumer<Socket> onConnect) {
        ServerSocket socket = LoopbackPorts.listen();
        this.port = socket.getLocalPort();
        this.onConnect = onConnect;
        this.listener = Optional.of(listen(socket));
    }

    int port() {
        return port;
    }

    /** Returns when clients can connect. */
    void open() {
        lock.lock();
        try {
            if (listener.isPresent() && listener.get().thread().isEmpty()) {
                shut(listener.get());
            }
            if (listener.isEmpty()) {
                listener = Optional.of(listen(reopen(BACKLOG)));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns when clients can no longer connect, and all accepted clients were passed to the consumer. */
    void close() {
        lock.lock();
        try {
            listener.ifPresent(this::shut);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when clients that connect receive no answer. No thread accepts and the backlog is full, so Linux drops the first
     * packet of a connection. Clients that were accepted before were passed to the consumer.
     */
    void ignore() {
        lock.lock();
        try {
            close();
            Listener ignoring = new Listener(reopen(1), Optional.empty(), new ArrayList<>());
            listener = Optional.of(ignoring);
            while (isAnswered(ignoring)) {
                if (ignoring.fillers().size() == MAX_FILLERS) {
                    throw new IllegalStateException(
                            "port " + port + " still answers with " + MAX_FILLERS + " connections in its backlog");
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isAnswered(Listener ignoring) {
        Socket one = new Socket();
        ignoring.fillers().add(one);
        try {
            one.connect(ignoring.socket().getLocalSocketAddress(), (int) CONNECT_TIMEOUT.toMillis());
            return true;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            throw new IllegalStateException("cannot connect to port " + port, e);
        }
    }

    private void shut(Listener open) {
        try {
            open.socket().close();
            for (Socket one : open.fillers()) {
                one.close();
            }
            if (open.thread().isPresent()) {
                open.thread().get().join();
            }
            listener = Optional.empty();
        } catch (IOException e) {
            throw new IllegalStateException("cannot stop listening on port " + port, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a proxy stops listening", e);
        }
    }

    private void accept(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                onConnect.accept(socket.accept());
            } catch (IOException e) {
                // The socket was closed, the client left before it was accepted, or this process has no free file
                // descriptor now.
                LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
            }
        }
    }

    private Listener listen(ServerSocket socket) {
        Thread thread = new Thread(() -> accept(socket), "headgate-proxy-listener");
        thread.setDaemon(true);
        thread.start();
        return new Listener(socket, Optional.of(thread), List.of());
    }

    private ServerSocket reopen(int backlog) {
        long start = System.nanoTime();
        while (true) {
            try {
                return LoopbackPorts.listen(port, backlog);
            } catch (IOException e) {
                // Another process may use the port for a moment.
                if (System.nanoTime() - start > REOPEN_TIMEOUT.toNanos()) {
                    throw new IllegalStateException("cannot listen on port " + port + " of 127.0.0.1", e);
                }
                LockSupport.parkNanos(RETRY_INTERVAL.toNanos());
            }
        }
    }
}
