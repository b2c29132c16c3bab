package io.headgate.spring.queues.internal;

import io.headgate.spring.queues.QueueListeners;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;

/**
 * The listeners of the application. They are in the last phase, which is also the default of other beans: they start after the web server
 * and beans of earlier phases, and stop before them, so that the web server still serves requests while they drain.
 */
final class ListenerRegistry implements QueueListeners, SmartLifecycle, SmartInitializingSingleton {

    private static final System.Logger LOG = System.getLogger(ListenerRegistry.class.getName());

    private final Supplier<List<ListenerContainer>> discovery;
    private final Duration drain;
    private volatile SortedMap<String, ListenerContainer> listeners = new TreeMap<>();
    private volatile boolean running;

    /**
     * Creates the registry.
     *
     * @param discovery finds the listeners when all beans are created, and fails if their configuration is wrong
     * @param drain how long a stop waits for jobs that are handled
     */
    ListenerRegistry(Supplier<List<ListenerContainer>> discovery, Duration drain) {
        this.discovery = discovery;
        this.drain = drain;
    }

    @Override
    public void afterSingletonsInstantiated() {
        SortedMap<String, ListenerContainer> found = new TreeMap<>();
        discovery.get().forEach(listener -> found.put(listener.spec().id(), listener));
        listeners = found;
    }

    @Override
    public void start() {
        running = true;
        for (ListenerContainer listener : listeners.values()) {
            if (listener.spec().autoStartup()) {
                listener.start();
            }
        }
    }

    @Override
    public void stop() {
        CountDownLatch done = new CountDownLatch(1);
        stop(done::countDown);
        try {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops all listeners at the same time, so that together they take no longer than one. */
    @Override
    public void stop(Runnable callback) {
        running = false;
        Map<String, ListenerContainer> stopping = listeners;
        AtomicInteger left = new AtomicInteger(stopping.size());
        stopping.forEach((id, listener) -> start("headgate-stop-" + id, () -> {
            try {
                listener.stop(drain);
            } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "The listener " + id + " did not stop as it should", e);
            } finally {
                if (left.decrementAndGet() == 0) {
                    callback.run();
                }
            }
        }));
        if (stopping.isEmpty()) {
            callback.run();
        }
    }

    private static void start(String name, Runnable task) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }

    /** Returns the listeners by id. */
    Collection<ListenerContainer> containers() {
        return listeners.values();
    }

    @Override
    public List<String> ids() {
        return List.copyOf(listeners.keySet());
    }

    @Override
    public State state(String id) {
        return listener(id).state();
    }

    @Override
    public void start(String id) {
        listener(id).start();
    }

    @Override
    public void stop(String id) {
        listener(id).stop(drain);
    }

    @Override
    public void pause(String id) {
        listener(id).pause();
    }

    @Override
    public void resume(String id) {
        listener(id).resume();
    }

    private ListenerContainer listener(String id) {
        ListenerContainer listener = listeners.get(id);
        if (listener == null) {
            String instead = listeners.isEmpty()
                    ? "; annotate a method of a bean, for example with @QueueListener"
                    : "; there are " + ids();
            throw new IllegalArgumentException("there is no listener " + id + instead);
        }
        return listener;
    }
}
