package io.headgate.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the same work in several threads at once, and fails when it fails in one of them. */
final class InThreads {

    /** What each thread does; it receives its index. */
    interface Work {
        void run(int thread);
    }

    private InThreads() {}

    static void run(int threads, Work work) {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<CompletableFuture<?>> done = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int thread = i;
                done.add(CompletableFuture.runAsync(() -> work.run(thread), pool));
            }
            done.forEach(CompletableFuture::join);
        } finally {
            pool.shutdownNow();
        }
    }
}
