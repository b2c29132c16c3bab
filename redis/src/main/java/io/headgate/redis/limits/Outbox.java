package io.headgate.redis.limits;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Sends news to other instances: the first at once, what comes soon after it joined and a while later. So however much there
 * is to tell, it is a few messages a second of a bounded length. What there is no room for is left out, as others find it out
 * by themselves within a second.
 */
final class Outbox {

    /** Between two notices. */
    static final Duration PAUSE = Duration.ofMillis(100);

    /** After a notice that nobody has heard. */
    static final Duration PAUSE_UNHEARD = Duration.ofSeconds(1);

    /** After one that could not be sent: there is no connection, or no right to publish. */
    static final Duration PAUSE_FAILED = Duration.ofSeconds(10);

    /** Of how many ids and rules there may be news that wait. */
    static final int MOST_WAITING = 1000;

    private final String sender;
    private final Function<String, CompletionStage<Boolean>> publish;
    private final BiConsumer<Runnable, Duration> later;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, News> waiting = new LinkedHashMap<>();
    private boolean pausing;
    private boolean closed;

    /**
     * One that has nothing to tell.
     *
     * @param publish sends a text, and answers whether anybody else has heard it
     * @param later runs something after that time
     */
    Outbox(String sender, Function<String, CompletionStage<Boolean>> publish, BiConsumer<Runnable, Duration> later) {
        this.sender = sender;
        this.publish = publish;
        this.later = later;
    }

    /** Tells it, now or with others. */
    void add(News news) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            if (waiting.size() < MOST_WAITING || waiting.containsKey(news.about())) {
                waiting.merge(news.about(), news, News::and);
            }
            if (pausing) {
                return;
            }
            pausing = true;
        } finally {
            lock.unlock();
        }
        send();
    }

    /** Tells what waits without a pause, as long as it is heard, and nothing more; done when that is sent. */
    CompletableFuture<?> close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        return sendRest();
    }

    private CompletableFuture<?> sendRest() {
        String notice;
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                return CompletableFuture.completedFuture(null);
            }
            notice = NoticeText.write(sender, waiting.values().iterator());
        } finally {
            lock.unlock();
        }
        return published(notice)
                .thenCompose(heard -> heard ? sendRest() : CompletableFuture.completedFuture(null))
                .toCompletableFuture();
    }

    private void send() {
        String notice;
        lock.lock();
        try {
            pausing = !waiting.isEmpty() && !closed;
            if (!pausing) {
                return;
            }
            notice = NoticeText.write(sender, waiting.values().iterator());
        } finally {
            lock.unlock();
        }
        published(notice)
                .whenComplete(
                        (heard, problem) -> sendLater(problem != null ? PAUSE_FAILED : heard ? PAUSE : PAUSE_UNHEARD));
    }

    /** What can't even be sent has failed as any other. */
    private CompletionStage<Boolean> published(String notice) {
        try {
            return publish.apply(notice);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void sendLater(Duration after) {
        try {
            later.accept(this::send, after);
        } catch (RuntimeException e) {
            // Whoever does it is closed. Should there be more to tell, it is tried again then.
            lock.lock();
            try {
                pausing = false;
            } finally {
                lock.unlock();
            }
        }
    }
}
