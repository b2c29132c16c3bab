package io.headgate.testkit.hostile;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Hostile clients that attack a server until they are closed, each with a connection and a thread of its own. A client that
 * loses its connection opens another one.
 */
public final class HostileClients implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int CONNECT_MILLIS = 5_000;

    private final InetSocketAddress server;
    private final Attack attack;
    private final List<Thread> threads = new ArrayList<>();
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private volatile boolean closed;

    private HostileClients(InetSocketAddress server, Attack attack) {
        this.server = server;
        this.attack = attack;
    }

    /** Starts as many clients as the attack has, and does not wait until they are connected. */
    public static HostileClients start(InetSocketAddress server, Attack attack) {
        HostileClients started = new HostileClients(server, attack);
        for (int i = 0; i < attack.clients(); i++) {
            Thread thread = new Thread(started::run, "hostile-client-" + i);
            thread.setDaemon(true);
            started.threads.add(thread);
            thread.start();
        }
        return started;
    }

    private void run() {
        while (!closed) {
            try (Socket socket = new Socket()) {
                sockets.add(socket);
                try {
                    socket.connect(server, CONNECT_MILLIS);
                    connections.incrementAndGet();
                    for (int i = 0; !closed; i++) {
                        byte[] next = attack.bytes(i);
                        socket.getOutputStream().write(next);
                        bytes.addAndGet(next.length);
                        LockSupport.parkNanos(attack.pauseNanos());
                    }
                } finally {
                    sockets.remove(socket);
                }
            } catch (IOException e) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    /** The number of connections that were opened so far. */
    public long connections() {
        return connections.get();
    }

    /** The number of bytes that the clients have written so far. */
    public long bytes() {
        return bytes.get();
    }

    @Override
    public void close() {
        closed = true;
        while (threads.stream().anyMatch(Thread::isAlive)) {
            sockets.forEach(HostileClients::disconnect);
            threads.forEach(LockSupport::unpark);
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private static void disconnect(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is closed already.
        }
    }
}
