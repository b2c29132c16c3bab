package io.headgate.config.sources;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.limits.LimitEngine;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates the shadow version of a source while there is one, and reports its counts once a second. Unless a policy differs, it has no
 * thread, and no listener of the engine. Its reloader makes one call at a time, except of {@link #preview}.
 */
final class ShadowReloader {

    private static final System.Logger LOG = System.getLogger(ShadowReloader.class.getName());
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Stands for a version that cannot be read. */
    private static final String UNKNOWN = "";

    private final LimitEngine engine;
    private final PolicySource source;
    private final Function<Policies, Policies> checked;
    private final Runnable report;
    private final BooleanSupplier isClosed;
    private volatile @Nullable ShadowEvaluation running;
    private @Nullable Sender sender;

    /** The shadow version as it was last read. */
    private Optional<PolicyDocument> last = Optional.empty();

    /** Why the version that was last read cannot be evaluated. */
    private Optional<String> invalid = Optional.empty();

    /**
     * Creates an instance that evaluates nothing yet.
     *
     * @param checked returns the policies of a shadow version if they could be in force; fails with an {@link IllegalArgumentException} if not
     * @param report reports the {@linkplain #preview preview}; must not block
     * @param isClosed whether the reloader is closed
     */
    ShadowReloader(
            LimitEngine engine,
            PolicySource source,
            Function<Policies, Policies> checked,
            Runnable report,
            BooleanSupplier isClosed) {
        this.engine = engine;
        this.source = source;
        this.checked = checked;
        this.report = report;
        this.isClosed = isClosed;
    }

    /** Sends the copies of an evaluation, and calls a report every second, until it is closed. */
    private static final class Sender extends Thread {

        private final CopyQueue copies;
        private final Runnable report;
        private volatile boolean closed;

        Sender(CopyQueue copies, Runnable report) {
            super("headgate-shadow");
            this.copies = copies;
            this.report = report;
            setDaemon(true);
        }

        @Override
        public void run() {
            long nextReport = System.nanoTime() + REPORT_NANOS;
            while (!closed) {
                long now = System.nanoTime();
                if (now - nextReport >= 0) {
                    nextReport = now + REPORT_NANOS;
                    safely(report);
                }
                long wait = nextReport - now;
                safely(() -> sendNext(wait));
            }
        }

        private void sendNext(long nanos) {
            try {
                copies.sendNext(nanos);
            } catch (InterruptedException e) {
                // A callback has left the interrupt, which must not end the thread.
            }
        }

        /** The thread continues after any failure, since nothing else sends copies. */
        @SuppressWarnings("CatchingUnchecked")
        private void safely(Runnable step) {
            try {
                step.run();
            } catch (Throwable e) {
                getUncaughtExceptionHandler().uncaughtException(this, e);
            }
        }

        void close() {
            closed = true;
            copies.wake();
        }
    }

    /**
     * Reads the shadow version, and evaluates it beside the policies in force. If it cannot be read, the last one is still evaluated, and the
     * preview has the problem.
     *
     * @param version the version in force
     * @param inForce its policies
     */
    void follow(String version, Policies inForce) {
        Optional<String> problem = Optional.empty();
        try {
            last = source.shadow();
        } catch (RuntimeException e) {
            if (isClosed.getAsBoolean()) {
                return; // its thread is interrupted, and reads nothing
            }
            problem = Optional.of("cannot be read: " + line(e));
        }
        if (last.isEmpty() && problem.isEmpty()) {
            stop();
            return;
        }
        ShadowEvaluation before = running;
        if (before != null && before.isOf(last.map(PolicyDocument::version).orElse(UNKNOWN), inForce)) {
            set(before, version, problem.or(() -> invalid));
            return;
        }
        // Created before the last one is stopped, since an engine in memory keeps counts while a limiter has them.
        ShadowEvaluation next = last.map(document -> evaluation(document, version, inForce, before))
                .orElseGet(() -> new ShadowEvaluation(UNKNOWN, version, inForce));
        stop();
        set(next, version, problem.or(() -> invalid));
        start(next);
    }

    private static void set(ShadowEvaluation evaluation, String version, Optional<String> problem) {
        if (!problem.equals(evaluation.preview().problem())) {
            problem.ifPresent(reason -> LOG.log(
                    Level.WARNING,
                    "policies: shadow version {0} cannot be evaluated: {1}",
                    evaluation.preview().version(),
                    reason));
        }
        evaluation.set(version, problem);
    }

    private void start(ShadowEvaluation next) {
        running = next;
        PolicyPreview preview = next.preview();
        if (preview.problem().isEmpty()) {
            LOG.log(
                    Level.INFO,
                    "policies: shadow version {0} is evaluated; policies that differ: {1}",
                    preview.version(),
                    preview.policies().size());
        }
        if (next.isNeeded()) {
            engine.addListener(next);
            Sender started = new Sender(next.copies(), report);
            sender = started;
            started.start();
        }
    }

    private ShadowEvaluation evaluation(
            PolicyDocument document, String version, Policies inForce, @Nullable ShadowEvaluation before) {
        invalid = Optional.empty();
        try {
            Policies policies = checked.apply(document.policies());
            return new ShadowEvaluation(
                    engine, document.version(), policies, version, inForce, before, System::nanoTime);
        } catch (RuntimeException e) {
            invalid = Optional.of(line(e));
            return new ShadowEvaluation(document.version(), version, inForce);
        }
    }

    /** The problem in one line. */
    private static String line(RuntimeException e) {
        String known = e instanceof ConfigException || e instanceof IllegalArgumentException
                ? String.valueOf(e.getMessage())
                : e.toString();
        return known.lines().findFirst().orElse("");
    }

    /** Returns the counts; empty if there is no shadow version. */
    Optional<PolicyPreview> preview() {
        return Optional.ofNullable(running).map(ShadowEvaluation::preview);
    }

    /** Stops the evaluation. */
    void stop() {
        ShadowEvaluation before = running;
        if (before == null) {
            return;
        }
        engine.removeListener(before);
        running = null;
        if (sender != null) {
            sender.close();
            sender = null;
        }
        PolicyPreview last = before.preview();
        if (last.problem().isEmpty()) {
            LOG.log(Level.INFO, "policies: shadow version {0} is no longer evaluated", last.version());
        }
    }
}
