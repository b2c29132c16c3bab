package io.headgate.spring.queues;

import io.headgate.testkit.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;

/** What listeners received, in the order of its arrival. */
class Received {

    private final Map<String, List<String>> all = new ConcurrentHashMap<>();
    private final Semaphore release = new Semaphore(0);

    void add(String listener, String what) {
        of(listener).add(what);
    }

    List<String> of(String listener) {
        return all.computeIfAbsent(listener, none -> new CopyOnWriteArrayList<>());
    }

    void await(String listener, String what) {
        Await.until(listener + " receives " + what, Duration.ofSeconds(60), () -> of(listener).contains(what));
    }

    /** Lets slow listeners end, one for each permit. */
    Semaphore release() {
        return release;
    }
}
