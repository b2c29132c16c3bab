package io.headgate.limits;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Runs the same work in several threads concurrently, and throws the exception if the work fails in any of them. */
final class InThreads {

    /** The work of each thread, which receives its index. */
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
