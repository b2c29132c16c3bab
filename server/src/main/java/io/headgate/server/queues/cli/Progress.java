package io.headgate.server.queues.cli;

import io.headgate.queues.QueueException;
import io.headgate.server.cli.StartException;
import io.headgate.server.text.Words;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Says every few seconds how far a long piece of work is, and how far it was when it ended early. */
final class Progress {

    private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

    private final PrintWriter err;
    private final String verb;
    private final String noun;
    /** Atomic, since the operators' log reads it when a signal ends the process. */
    private final AtomicLong done = new AtomicLong();

    private long saidNanos = System.nanoTime();

    /**
     * Begins at nothing.
     *
     * @param verb what is done with each, such as {@code enqueued}
     * @param noun what each is, such as {@code job}
     */
    Progress(PrintWriter err, String verb, String noun) {
        this.err = err;
        this.verb = verb;
        this.noun = noun;
    }

    void add(long more) {
        done.addAndGet(more);
        if (System.nanoTime() - saidNanos > PAUSE_NANOS) {
            say("");
        }
    }

    /** Says it before a pause that somebody would wonder about. */
    void waits(Duration pause) {
        if (pause.toNanos() > PAUSE_NANOS) {
            say("; continues in " + Words.span(pause));
        }
    }

    private void say(String more) {
        saidNanos = System.nanoTime();
        err.println(verb + " " + Words.count(Words.whole(done.get()), noun) + " so far" + more);
        err.flush();
    }

    long done() {
        return done.get();
    }

    /**
     * Does the work.
     *
     * @throws StartException when the queue fails, or what it reads; it says how far the work came
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
