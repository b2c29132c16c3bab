package io.headgate.server.queues.cli;

import io.headgate.queues.QueueException;
import io.headgate.server.cli.StartException;
import io.headgate.server.text.Words;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Prints the progress of long work every few seconds, and adds it to the error if the work fails. */
final class Progress {

    private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

    private final PrintWriter err;
    private final String verb;
    private final String noun;
    /** Atomic, because the audit log reads it when a signal ends the process. */
    private final AtomicLong done = new AtomicLong();

    private long printedNanos = System.nanoTime();

    /**
     * Creates progress that starts at zero.
     *
     * @param verb the action, for example {@code enqueued}
     * @param noun the unit, for example {@code job}
     */
    Progress(PrintWriter err, String verb, String noun) {
        this.err = err;
        this.verb = verb;
        this.noun = noun;
    }

    void add(long more) {
        done.addAndGet(more);
        if (System.nanoTime() - printedNanos > PAUSE_NANOS) {
            print("");
        }
    }

    /** Prints the progress before a long pause. */
    void beforePause(Duration pause) {
        if (pause.toNanos() > PAUSE_NANOS) {
            print("; continues in " + Words.span(pause));
        }
    }

    private void print(String more) {
        printedNanos = System.nanoTime();
        err.println(verb + " " + Words.count(Words.whole(done.get()), noun) + " so far" + more);
        err.flush();
    }

    long done() {
        return done.get();
    }

    /**
     * Runs the work.
     *
     * @throws StartException if the queue or the source fails; the message contains the progress
     */
    void run(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            throw stopped(e);
        }
    }

    private RuntimeException stopped(RuntimeException failure) {
        return failure instanceof QueueException || failure instanceof StartException
                ? StartException.failed(failure.getMessage() + "; before that, " + verb + " "
                        + Words.count(Words.whole(done.get()), noun))
                : failure;
    }
}
