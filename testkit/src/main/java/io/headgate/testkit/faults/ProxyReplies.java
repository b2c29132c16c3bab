package io.headgate.testkit.faults;

import io.headgate.testkit.faults.Frames.Frame;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The replies of one connection in the order of its requests, by Redis or by the proxy in its place. The number of undelivered
 * replies is bounded; a thread that adds another one blocks.
 */
final class ProxyReplies {

    private static final int MAX_UNDELIVERED = 100_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Request> unanswered = new ArrayDeque<>();
    private final BlockingQueue<Reply> undelivered = new LinkedBlockingQueue<>(MAX_UNDELIVERED);

    /** A request, and the answer if the proxy answers it. */
    private record Request(String command, Optional<Frame> answer) {}

    /** A reply, the command that it answers, and when it was read. An empty frame marks the end of the replies. */
    record Reply(String command, Optional<Frame> frame, long readAtNanos) {}

    /** Adds a request that is about to be sent to Redis. */
    void addSentToRedis(String command) {
        lock.lock();
        try {
            unanswered.add(new Request(command, Optional.empty()));
        } finally {
            lock.unlock();
        }
    }

    /** Adds a request that the proxy answers itself; its answer follows the replies to all earlier requests. */
    void addAnsweredByProxy(String command, Frame answer) throws InterruptedException {
        lock.lock();
        try {
            unanswered.add(new Request(command, Optional.of(answer)));
            addOwnAnswers();
        } finally {
            lock.unlock();
        }
    }

    /** Adds a frame from Redis: the reply to its oldest unanswered request, or a push message. */
    void addFromRedis(Frame frame) throws InterruptedException {
        lock.lock();
        try {
            String command = "";
            if (frame.isReply() && !unanswered.isEmpty()) {
                command = unanswered.remove().command();
            }
            undelivered.put(new Reply(command, Optional.of(frame), System.nanoTime()));
            addOwnAnswers();
        } finally {
            lock.unlock();
        }
    }

    /** Marks the end of the replies, because Redis has closed the connection. Earlier replies are delivered first. */
    void addEnd() throws InterruptedException {
        undelivered.put(new Reply("", Optional.empty(), System.nanoTime()));
    }

    /** Waits for the next reply. */
    Reply next() throws InterruptedException {
        return undelivered.take();
    }

    /** Makes the proxy's answers deliverable, up to the next request that waits for a reply of Redis. */
    private void addOwnAnswers() throws InterruptedException {
        while (!unanswered.isEmpty() && unanswered.peek().answer().isPresent()) {
            Request own = unanswered.remove();
            undelivered.put(new Reply(own.command(), own.answer(), System.nanoTime()));
        }
    }
}
