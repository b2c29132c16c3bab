package io.headgate.testkit;

import io.headgate.testkit.Frames.Frame;
import io.headgate.testkit.ProxyFaults.Cut;
import io.headgate.testkit.ProxyFaults.Side;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One client's connection through a {@link FaultProxy}, and the connection to Redis behind it.
 *
 * <p>Three threads: one passes requests on, one reads replies, one delivers them; so a delay keeps no reply from being
 * read, and does not add up.
 */
final class ProxyConnection {

    private static final int MAX_UNDELIVERED = 100_000;
    private static final int CONNECT_MILLIS = 5_000;

    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress redis;
    private final ProxyFaults faults;
    private final ProxyTraffic traffic;
    private final Runnable onClose;

    private final Queue<String> unanswered = new ConcurrentLinkedQueue<>();
    private final BlockingQueue<Reply> undelivered = new LinkedBlockingQueue<>(MAX_UNDELIVERED);
    private final Thread requests = daemon("requests", this::passRequests);
    private final Thread replies = daemon("replies", this::readReplies);
    private final Thread delivery = daemon("delivery", this::deliverReplies);
    private volatile boolean closed;

    /** A reply, the command that it answers, when it was read; an empty frame says that no more will come. */
    private record Reply(String command, Optional<Frame> frame, long readAtNanos) {}

    private interface Work {
        void run() throws IOException, InterruptedException;
    }

    ProxyConnection(
            Socket client, InetSocketAddress redis, ProxyFaults faults, ProxyTraffic traffic, Runnable onClose) {
        this.client = client;
        this.redis = redis;
        this.faults = faults;
        this.traffic = traffic;
        this.onClose = onClose;
    }

    void start() {
        requests.start();
    }

    /** Closes both sides; what was not delivered is lost. */
    void close() {
        closed = true;
        closeQuietly(client);
        closeQuietly(server);
        replies.interrupt();
        delivery.interrupt();
        faults.connectionClosed();
        onClose.run();
    }

    private void passRequests() throws IOException {
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(redis, CONNECT_MILLIS);
            replies.start();
            delivery.start();
            Frames frames = new Frames(client.getInputStream());
            while (!closed) {
                passRequest(frames.nextRequest());
            }
        } finally {
            close();
        }
    }

    private void passRequest(Frame request) throws IOException {
        traffic.requested(request);
        if (faults.take(Side.REQUEST, request.command()).isPresent()) {
            close();
            faults.done();
        } else {
            unanswered.add(request.command());
            request.writeTo(server.getOutputStream(), request.length());
        }
    }

    private void readReplies() throws IOException, InterruptedException {
        try {
            Frames frames = new Frames(server.getInputStream());
            while (!closed) {
                Frame frame = frames.nextReply();
                String command =
                        frame.isReply() ? Optional.ofNullable(unanswered.poll()).orElse("") : "";
                undelivered.put(new Reply(command, Optional.of(frame), System.nanoTime()));
            }
        } finally {
            // Redis has closed: what it said before is delivered first.
            undelivered.put(new Reply("", Optional.empty(), System.nanoTime()));
        }
    }

    private void deliverReplies() throws IOException, InterruptedException {
        try {
            while (!closed) {
                Reply reply = undelivered.take();
                faults.awaitDelivery(reply.readAtNanos(), () -> closed);
                if (closed || reply.frame().isEmpty()) {
                    return;
                }
                deliver(reply.frame().get(), reply.command());
            }
        } finally {
            close();
        }
    }

    private void deliver(Frame frame, String command) throws IOException {
        Optional<Cut> cut = frame.isReply() ? faults.take(Side.REPLY, command) : Optional.empty();
        try {
            int delivered = cut.map(Cut::bytesDelivered).orElse(frame.length());
            frame.writeTo(client.getOutputStream(), delivered);
        } finally {
            if (cut.isPresent()) {
                close();
                faults.done();
            }
        }
    }

    private static Thread daemon(String role, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException e) {
                        // One side has gone, and with it this thread's work: to a proxy, that is no error.
                        return;
                    }
                },
                "headgate-proxy-" + role);
        thread.setDaemon(true);
        return thread;
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which is all that was wanted.
        }
    }
}
