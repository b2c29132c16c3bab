package io.headgate.server;

import io.headgate.queues.QueueException;
import java.io.PrintWriter;
import java.time.Duration;

/** Says every few seconds how far a long piece of work is, and how far it was when it ended early. */
final class Progress {

    private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

    private final PrintWriter err;
    private final String verb;
    private final String noun;
    private long done;
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
        done += more;
        long now = System.nanoTime();
        if (now - saidNanos > PAUSE_NANOS) {
            saidNanos = now;
            err.println(verb + " " + Words.count(done, noun) + " so far");
            err.flush();
        }
    }

    long done() {
        return done;
    }

    /** The same failure, with how far it came until then. */
    RuntimeException stopped(RuntimeException failure) {
        return failure instanceof QueueException || failure instanceof StartException
                ? StartException.failed(failure.getMessage() + "; before that, " + verb + " " + Words.count(done, noun))
                : failure;
    }
}
