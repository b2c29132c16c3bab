package io.headgate.testkit.faults;

import io.headgate.testkit.faults.Frames.Frame;
import io.headgate.testkit.faults.ProxyFaults.Cut;
import io.headgate.testkit.faults.ProxyFaults.Side;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Optional;

/**
 * One client's connection through a {@link FaultProxy}, and the connection to Redis behind it.
 *
 * <p>One thread forwards requests, one reads replies, and one delivers them. While a reply is delayed, further replies are read, so
 * their delays overlap. After a loss in one direction, nothing more passes in that direction, because TCP never delivers a stream with
 * a gap.
 */
final class ProxyConnection {

    private static final int CONNECT_MILLIS = 5_000;

    private final Socket client;
    private final Socket server = new Socket();
    private final InetSocketAddress redis;
    private final ProxyFaults faults;
    private final ProxyAnswers answers;
    private final ProxyTraffic traffic;
    private final Runnable onClose;

    private final ProxyReplies pending = new ProxyReplies();
    private final Thread requests = daemon("requests", this::forwardRequests);
    private final Thread replies = daemon("replies", this::readReplies);
    private final Thread delivery = daemon("delivery", this::deliverReplies);
    private boolean requestsLost; // after the constructor, only used by the thread that forwards requests
    private boolean repliesLost; // only used by the thread that delivers
    private volatile boolean closed;

    private interface ConnectionTask {
        void run() throws IOException, InterruptedException;
    }

    ProxyConnection(
            Socket client,
            InetSocketAddress redis,
            ProxyFaults faults,
            ProxyAnswers answers,
            ProxyTraffic traffic,
            Runnable onClose) {
        this.client = client;
        this.redis = redis;
        this.faults = faults;
        this.answers = answers;
        this.traffic = traffic;
        this.onClose = onClose;
        this.requestsLost = faults.drops(Side.REQUEST);
    }

    void start() {
        requests.start();
    }

    /** Closes both sides; undelivered replies are lost. */
    void close() {
        closed = true;
        closeQuietly(client);
        closeQuietly(server);
        requests.interrupt();
        replies.interrupt();
        delivery.interrupt();
        faults.connectionClosed();
        onClose.run();
    }

    /** Closes both sides; the client receives a reset (RST). */
    void reset() {
        try {
            client.setSoLinger(true, 0);
        } catch (IOException e) {
            // It is closed already.
        }
        close();
    }

    private void forwardRequests() throws IOException, InterruptedException {
        try {
            client.setTcpNoDelay(true);
            if (requestsLost) {
                discard(client.getInputStream()); // Redis does not even see the connection
                return;
            }
            server.setTcpNoDelay(true);
            server.connect(redis, CONNECT_MILLIS);
            replies.start();
            delivery.start();
            Frames frames = new Frames(client.getInputStream());
            while (!closed) {
                forwardRequest(frames.nextRequest());
            }
        } finally {
            close();
        }
    }

    private static void discard(InputStream in) throws IOException {
        byte[] nothing = new byte[8192];
        while (in.read(nothing) >= 0) {
            // Continue.
        }
    }

    private void forwardRequest(Frame request) throws IOException, InterruptedException {
        // Before the count, so that a test that has awaited the count may end the fault.
        requestsLost |= faults.drops(Side.REQUEST);
        traffic.requested(request);
        if (requestsLost) {
            return;
        }
        Optional<Cut> cut = faults.take(Side.REQUEST, request.command());
        if (cut.isPresent()) {
            end(cut.get());
            return;
        }
        Optional<Frame> answer = answers.answerTo(request.command());
        if (answer.isPresent()) {
            pending.addAnsweredByProxy(request.command(), answer.get());
        } else {
            pending.addSentToRedis(request.command());
            request.writeTo(server.getOutputStream());
        }
    }

    private void readReplies() throws IOException, InterruptedException {
        try {
            Frames frames = new Frames(server.getInputStream());
            while (!closed) {
                pending.addFromRedis(frames.nextReply());
            }
        } finally {
            pending.addEnd();
        }
    }

    private void deliverReplies() throws IOException, InterruptedException {
        boolean keepClientOpen = false;
        try {
            while (!closed) {
                ProxyReplies.Reply reply = pending.next();
                faults.awaitDelivery(reply.readAtNanos(), () -> closed);
                repliesLost |= faults.drops(Side.REPLY);
                if (closed || reply.frame().isEmpty()) {
                    keepClientOpen = repliesLost; // the client does not see the end of the connection either
                    return;
                }
                if (repliesLost) {
                    traffic.replyLost();
                } else {
                    deliver(reply.frame().get(), reply.command());
                }
            }
        } finally {
            if (!keepClientOpen) {
                close();
            }
        }
    }

    private void deliver(Frame frame, String command) throws IOException {
        Optional<Cut> cut = frame.isReply() ? faults.take(Side.REPLY, command) : Optional.empty();
        int length = Math.min(frame.length(), cut.map(Cut::bytesDelivered).orElse(frame.length()));
        try {
            for (int sent = 0; sent < length && !closed; ) {
                int slice = faults.awaitBytes(length - sent, () -> closed);
                frame.writeTo(client.getOutputStream(), sent, slice);
                sent += slice;
            }
        } finally {
            cut.ifPresent(this::end);
        }
    }

    private void end(Cut cut) {
        if (cut.reset()) {
            reset();
        } else {
            close();
        }
        faults.done();
    }

    private static Thread daemon(String role, ConnectionTask work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException | InterruptedException e) {
                        // One side has closed the connection, which is no error of a proxy.
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
            // It is closed already.
        }
    }
}
