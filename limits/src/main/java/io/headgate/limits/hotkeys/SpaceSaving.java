package io.headgate.limits.hotkeys;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The Space-Saving sketch: counts the most frequent keys of a stream with a fixed number of counters (Metwally, Agrawal, El Abbadi:
 * Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005). A key without a counter takes over the smallest counter
 * together with its count. So a count is never too low, and too high by at most the smallest count, which is at most the sum of all
 * weights divided by the number of counters. Not safe for use by several threads.
 *
 * @param <K> the type of the keys
 */
final class SpaceSaving<K> {

    private final int most;
    private final Map<K, Counter<K>> byKey = new HashMap<>();

    /** A binary heap whose first counter is the smallest. */
    private final List<Counter<K>> heap = new ArrayList<>();

    SpaceSaving(int most) {
        this.most = most;
    }

    /** A key, its highest possible count, how much of that may belong to other keys, and its index in the heap. */
    static final class Counter<K> {

        private K key;
        private long count;
        private long error;
        private int index;

        private Counter(K key, int index) {
            this.key = key;
            this.index = index;
        }

        K key() {
            return key;
        }

        long count() {
            return count;
        }

        long error() {
            return error;
        }
    }

    void add(K key, long weight) {
        Counter<K> counter = byKey.get(key);
        if (counter == null) {
            counter = heap.size() < most ? fresh(key) : takenOver(key);
        }
        counter.count += weight;
        sink(counter);
    }

    /** Returns the counters, in no particular order. */
    List<Counter<K>> counters() {
        return heap;
    }

    /** The highest possible count of a key without a counter. */
    long unlisted() {
        return heap.size() < most ? 0 : heap.get(0).count;
    }

    int size() {
        return heap.size();
    }

    private Counter<K> fresh(K key) {
        // Its count is 0, so it belongs at the top of the heap.
        Counter<K> counter = new Counter<>(key, heap.size());
        heap.add(counter);
        byKey.put(key, counter);
        while (counter.index > 0) {
            swap(counter, heap.get((counter.index - 1) / 2));
        }
        return counter;
    }

    private Counter<K> takenOver(K key) {
        Counter<K> least = heap.get(0);
        byKey.remove(least.key);
        least.key = key;
        least.error = least.count;
        byKey.put(key, least);
        return least;
    }

    private void sink(Counter<K> counter) {
        while (true) {
            int child = 2 * counter.index + 1;
            if (child >= heap.size()) {
                return;
            }
            if (child + 1 < heap.size() && heap.get(child + 1).count < heap.get(child).count) {
                child++;
            }
            if (heap.get(child).count >= counter.count) {
                return;
            }
            swap(counter, heap.get(child));
        }
    }

    private void swap(Counter<K> one, Counter<K> other) {
        int index = one.index;
        one.index = other.index;
        other.index = index;
        heap.set(one.index, one);
        heap.set(other.index, other);
    }
}
