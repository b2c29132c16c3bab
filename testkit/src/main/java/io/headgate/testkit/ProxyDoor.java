package io.headgate.testkit;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Listens on one port of the loopback address, can stop and begin again, and hands on who has connected. */
final class ProxyDoor {

    private static final Duration REOPEN_WITHIN = Duration.ofSeconds(10);
    private static final Duration RETRY_EVERY = Duration.ofMillis(5);

    private final int port;
    private final Consumer<Socket> onConnect;
    private final ReentrantLock lock = new ReentrantLock();
    private Optional<Listener> listener;

    private record Listener(ServerSocket socket, Thread thread) {}

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
            if (listener.isEmpty()) {
                listener = Optional.of(listen(reopen()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns when clients can't connect any more and all that had connected have been handed on. */
    void close() {
        lock.lock();
        try {
            if (listener.isPresent()) {
                listener.get().socket().close();
                listener.get().thread().join();
                listener = Optional.empty();
            }
        } catch (IOException e) {
            throw new IllegalStateException("cannot stop listening on port " + port, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a proxy stops listening", e);
        } finally {
            lock.unlock();
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
        return new Listener(socket, thread);
    }

    private ServerSocket reopen() {
        long start = System.nanoTime();
        while (true) {
            try {
                return LoopbackPorts.listen(port);
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
