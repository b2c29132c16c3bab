package io.headgate.testkit.faults;

import io.headgate.testkit.faults.Frames.Frame;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The replies of one connection, in the order of its requests, whether Redis gave them or the proxy in its place. Those
 * that wait for delivery are bounded: whoever has one more waits.
 */
final class ProxyReplies {

    private static final int MAX_UNDELIVERED = 100_000;

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Request> unanswered = new ArrayDeque<>();
    private final BlockingQueue<Reply> undelivered = new LinkedBlockingQueue<>(MAX_UNDELIVERED);

    /** A request, and the proxy's own answer to it. */
    private record Request(String command, Optional<Frame> answer) {}

    /** A reply, the command that it answers, when it was read; an empty frame says that no more will come. */
    record Reply(String command, Optional<Frame> frame, long readAtNanos) {}

    /** Redis will be asked this. */
    void asked(String command) {
        lock.lock();
        try {
            unanswered.add(new Request(command, Optional.empty()));
        } finally {
            lock.unlock();
        }
    }

    /** Redis will not be asked this: it is answered so when all is that was asked before. */
    void answered(String command, Frame answer) throws InterruptedException {
        lock.lock();
        try {
            unanswered.add(new Request(command, Optional.of(answer)));
            giveOwnAnswers();
        } finally {
            lock.unlock();
        }
    }

    /** Redis has said this: its reply to what it was asked first, or a message that answers nothing. */
    void read(Frame frame) throws InterruptedException {
        lock.lock();
        try {
            String command = "";
            if (frame.isReply() && !unanswered.isEmpty()) {
                command = unanswered.remove().command();
            }
            undelivered.put(new Reply(command, Optional.of(frame), System.nanoTime()));
            giveOwnAnswers();
        } finally {
            lock.unlock();
        }
    }

    /** Redis has closed: what it said before is delivered first. */
    void ended() throws InterruptedException {
        undelivered.put(new Reply("", Optional.empty(), System.nanoTime()));
    }

    /** Waits for the next. */
    Reply next() throws InterruptedException {
        return undelivered.take();
    }

    private void giveOwnAnswers() throws InterruptedException {
        while (!unanswered.isEmpty() && unanswered.peek().answer().isPresent()) {
            Request own = unanswered.remove();
            undelivered.put(new Reply(own.command(), own.answer(), System.nanoTime()));
        }
    }
}
