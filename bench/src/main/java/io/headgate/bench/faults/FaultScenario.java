package io.headgate.bench.faults;

import io.headgate.bench.faults.FaultCaller.Admissions;
import io.headgate.bench.faults.FaultCaller.PermitCaller;
import io.headgate.bench.report.Readings.Recorder;
import io.headgate.bench.run.Pause;
import io.headgate.bench.run.Scenario;
import io.headgate.bench.run.Scenario.Arena;
import io.headgate.bench.run.Scenario.Trials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Instances request permits and holds during each fault, with a new target for each case: one window before the fault, eight
 * during it, and one after it. If a fault ends by itself, such as a failover, the eight windows follow it.
 */
final class FaultScenario {

    static final String NAME = "limits";

    /** The admitted share of the limit over all windows. */
    static final String ADMITTED = "admitted";

    /** The documented bound of {@link #ADMITTED}. */
    static final String BOUND = "admittedAtMost";

    /** The largest admitted share of the limit in one window. */
    static final String WORST_WINDOW = "worstWindow";

    static final String BY_SHARE = "byShare";
    static final String EXCEPTIONS = "exceptions";
    static final String HEALTHY_SECONDS = "healthyAfterSeconds";

    /** The number of measured windows. */
    static final int WINDOWS = 10;

    private static final FaultCaller.Columns COLUMNS =
            new FaultCaller.Columns("answers", BY_SHARE, "slowestMillis", EXCEPTIONS);

    private static final int WINDOWS_BEFORE = 1;
    private static final int WINDOWS_AFTER = 1;
    private static final int WINDOWS_DURING = WINDOWS - WINDOWS_BEFORE - WINDOWS_AFTER;
    private static final Duration WARM_UP = Duration.ofSeconds(2);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private FaultScenario() {}

    static Scenario of(Arena arena, List<FaultCase<?>> cases) {
        Map<String, Consumer<Recorder>> trials = new LinkedHashMap<>();
        cases.forEach(one -> trials.put(one.name(), into -> run(one, into)));
        return new Trials(arena, NAME, trials);
    }

    private static <P extends FaultTarget> void run(FaultCase<P> one, Recorder into) {
        try (P target = one.opening().open();
                LimitInstances instances = LimitInstances.open(target.url(), LimitInstances.INSTANCES)) {
            run(one, target, instances, into);
        }
    }

    private static <P extends FaultTarget> void run(
            FaultCase<P> one, P target, LimitInstances instances, Recorder into) {
        List<PermitCaller> callers = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < LimitInstances.INSTANCES; i++) {
            PermitCaller caller = new PermitCaller(instances.limiter(i));
            callers.add(caller);
            threads.add(new Thread(caller, "caller-" + i));
        }
        HoldCallers holders = new HoldCallers(instances);
        holders.all().forEach(holder -> threads.add(new Thread(holder, "holder")));
        threads.forEach(Thread::start);
        try {
            Pause.of(WARM_UP);
            long from = System.nanoTime();
            Pause.of(LimitInstances.WINDOW.multipliedBy(WINDOWS_BEFORE));
            Runnable end = one.fault().begin(target);
            int windowsAfter = WINDOWS_AFTER;
            if (end == FaultCase.ENDS_BY_ITSELF) {
                windowsAfter += WINDOWS_DURING;
            } else {
                Pause.of(LimitInstances.WINDOW.multipliedBy(WINDOWS_DURING));
                end.run();
            }
            long over = System.nanoTime();
            into.add(HEALTHY_SECONDS, untilHealthy(instances, over, into));
            Pause.of(Duration.ofNanos(over + windowsAfter * LimitInstances.WINDOW.toNanos() - System.nanoTime()));
            long to = System.nanoTime();
            end(callers, holders, threads);
            record(callers, from, to, into);
            holders.record(one.effect().keepsHolds(), into);
            into.add(BOUND, one.effect().bound());
        } finally {
            end(callers, holders, threads);
        }
    }

    private static double untilHealthy(LimitInstances instances, long over, Recorder into) {
        while (!instances.isHealthy()) {
            if (System.nanoTime() - over > TIMEOUT.toNanos()) {
                into.note("not healthy within " + TIMEOUT);
                break;
            }
            LockSupport.parkNanos(1_000_000);
        }
        return (System.nanoTime() - over) / 1e9;
    }

    private static void end(List<PermitCaller> callers, HoldCallers holders, List<Thread> threads) {
        callers.forEach(PermitCaller::end);
        holders.end();
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private static void record(List<PermitCaller> callers, long from, long to, Recorder into) {
        Admissions admissions = new Admissions(callers);
        double windows = (double) (to - from) / LimitInstances.WINDOW.toNanos();
        COLUMNS.record(callers, into);
        into.add(ADMITTED, admissions.between(from, to) / (windows * LimitInstances.PERMITS));
        into.add(WORST_WINDOW, (double) admissions.mostWithin(LimitInstances.WINDOW) / LimitInstances.PERMITS);
    }
}
