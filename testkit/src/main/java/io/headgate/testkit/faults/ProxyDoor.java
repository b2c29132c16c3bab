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
 * Listens on one port of the loopback address and hands on who has connected; can be closed, so that clients are refused,
 * or deaf, so that they get no answer at all; and opened again.
 */
final class ProxyDoor {

    private static final Duration REOPEN_WITHIN = Duration.ofSeconds(10);
    private static final Duration RETRY_EVERY = Duration.ofMillis(5);

    /** So long a connection to this machine takes only when nobody answers it. */
    private static final Duration NO_ANSWER = Duration.ofMillis(250);

    private static final int BACKLOG = 50;
    private static final int MAX_WAITING = 1_000;

    private final int port;
    private final Consumer<Socket> onConnect;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<Listener> listener;

    /** With one thread that accepts; or with none, and with connections of its own that take all places to wait. */
    private record Listener(ServerSocket socket, Optional<Thread> thread, List<Socket> waiting) {}

    /** A door that is open, on a port of its own. */
    ProxyDoor(Consumer<Socket> onConnect) {
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

    /** Returns when clients can't connect any more and all that had connected have been handed on. */
    void close() {
        lock.lock();
        try {
            listener.ifPresent(this::shut);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when whoever tries to connect gets no answer. Nobody accepts, and no place to wait is free: the system then
     * lets the first packet of a connection fall, as Linux does. Those that had connected have been handed on.
     */
    void deafen() {
        lock.lock();
        try {
            close();
            Listener deaf = new Listener(reopen(1), Optional.empty(), new ArrayList<>());
            listener = Optional.of(deaf);
            while (isAnswered(deaf)) {
                if (deaf.waiting().size() == MAX_WAITING) {
                    throw new IllegalStateException("port " + port + " is answered however many wait there");
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean isAnswered(Listener deaf) {
        Socket one = new Socket();
        deaf.waiting().add(one);
        try {
            one.connect(deaf.socket().getLocalSocketAddress(), (int) NO_ANSWER.toMillis());
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
            for (Socket one : open.waiting()) {
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
                // The socket was closed, or the client has gone before it was accepted; or this process has no file
                // descriptor left, and may have one again.
                LockSupport.parkNanos(RETRY_EVERY.toNanos());
            }
        }
    }

    private Listener listen(ServerSocket socket) {
        Thread thread = new Thread(() -> accept(socket), "headgate-proxy-door");
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
                // Somebody may hold the port for a moment.
                if (System.nanoTime() - start > REOPEN_WITHIN.toNanos()) {
                    throw new IllegalStateException("cannot listen on port " + port + " of 127.0.0.1", e);
                }
                LockSupport.parkNanos(RETRY_EVERY.toNanos());
            }
        }
    }
}
