package io.headgate.server.demo;

import io.headgate.config.sources.PolicyDocument;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyPreview;
import io.headgate.config.sources.PolicyPreview.PolicyCounts;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyUpdate;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.limits.bans.BanRequest;
import io.headgate.limits.bans.BanTarget;
import io.headgate.limits.bans.Bans;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.StopSignal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

/**
 * The steps of {@code headgate demo policies}: changes of the policies and a ban. For each, it measures the time from the start of the
 * change until a check or a report of each server shows it.
 */
final class PolicyShow implements AutoCloseable {

    /** What a server shows when it has applied a step. */
    private interface Effect {

        /** Returns whether the server with this index shows the effect. */
        boolean isShownBy(int server) throws InterruptedException;
    }

    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(1);
    private static final int FORBIDDEN = 403;
    private static final int LOW = 50;
    private static final int HIGH = 100;
    private static final int TRIED = 10;
    private static final int TRIED_CHECKS = 20;
    private static final String TESTER = "tester";
    private static final String VISITOR = "visitor";
    private static final String ABUSER = "mallory";
    private static final String WARM_UP = "warm-up";
    private static final int WARM_UP_CHECKS = 50;

    private final PrintWriter out;
    private final StopSignal stop;
    private final DemoServers servers;
    private final PolicyStore store;
    private final Bans bans;
    private final ExecutorService pollers;
    private boolean applied = true;

    PolicyShow(PrintWriter out, StopSignal stop, DemoServers servers, PolicyStore store, Bans bans) {
        this.out = out;
        this.stop = stop;
        this.servers = servers;
        this.store = store;
        this.bans = bans;
        this.pollers = Executors.newFixedThreadPool(servers.count());
    }

    /** Writes the first version, with which the servers start. */
    static void writeFirst(PolicyStore store) {
        write(store, text(HIGH, "user"), "first version");
    }

    /** Runs all steps until a signal arrives; returns whether all servers applied each of them. */
    boolean run() throws InterruptedException {
        warmUp();
        step("change: from 100 to 50 requests a minute", () -> write(store, text(LOW, "user"), "less"), this::isLow);
        PolicyVersion inForce = current(store).orElseThrow();
        step(
                "rejected change: the same rule by another dimension",
                () -> write(store, text(HIGH, "ip"), "by address"),
                server -> isRejected(server, inForce.version()));
        store.instances().stream()
                .flatMap(instance -> instance.rejected().stream())
                .findFirst()
                .ifPresent(reason -> line("  " + reason));
        step(
                "rollback to the first version",
                () -> write(store, store.find("1").orElseThrow(), "roll back to 1"),
                server -> !isLow(server));
        preview();
        step("ban of the user " + ABUSER, () -> bans.add(ban(ABUSER)), server -> isBanned(server, ABUSER));
        step("the ban is lifted", () -> bans.lift(BanTarget.user(ABUSER)), server -> !isBanned(server, ABUSER));
        return applied;
    }

    /** Writes a shadow version, and sends some requests, which the version in force allows. */
    private void preview() throws InterruptedException {
        step("shadow version: " + TRIED + " requests a minute", this::writeShadow, this::evaluatesShadow);
        for (int i = 0; i < TRIED_CHECKS && !stop.isSignalled(); i++) {
            servers.check(i % servers.count(), TESTER);
        }
        long start = System.nanoTime();
        applied &= await(
                        server -> preview(policy -> policy.requests() + policy.skipped() + policy.failed())
                                == TRIED_CHECKS,
                        0,
                        start)
                .isPresent();
        line("  of %d requests, it would have denied %d"
                .formatted(preview(PolicyCounts::requests), preview(policy -> policy.outcomes()
                        .wouldBeDenied())));
        step(
                "the shadow version is discarded",
                () -> store.shadowVersion().ifPresent(shadow -> store.discardShadow(shadow.version())),
                server -> !evaluatesShadow(server));
    }

    private void writeShadow() {
        store.apply(new PolicyUpdate(text(TRIED, "user").texts(), Optional.empty(), "demo", "fewer").inShadow());
    }

    /** Whether a report shows that the shadow version is evaluated. Each server has one report. */
    private boolean evaluatesShadow(int server) {
        List<PolicyInstance> instances = store.previews();
        return server < instances.size() && instances.get(server).preview().isPresent();
    }

    /** Returns the sum of a number over all servers. */
    private long preview(ToLongFunction<PolicyCounts> number) {
        List<PolicyPreview> previews = store.previews().stream()
                .flatMap(instance -> instance.preview().stream())
                .toList();
        return PolicyPreview.total(previews).stream().mapToLong(number).sum();
    }

    /**
     * Sends some checks, also of a banned user, so that new JVMs have loaded most classes before the measurement. From their first ban on,
     * servers receive bans by messages; until then, they poll once a second.
     */
    private void warmUp() throws InterruptedException {
        for (int i = 0; i < WARM_UP_CHECKS && !stop.isSignalled(); i++) {
            for (int server = 0; server < servers.count(); server++) {
                servers.check(server, WARM_UP + i);
            }
        }
        bans.add(ban(WARM_UP));
        awaitAll(server -> isBanned(server, WARM_UP), System.nanoTime());
        bans.lift(BanTarget.user(WARM_UP));
        awaitAll(server -> !isBanned(server, WARM_UP), System.nanoTime());
    }

    private static BanRequest ban(String user) {
        return BanRequest.ban(BanTarget.user(user)).lasting(Duration.ofHours(1)).because("demo");
    }

    private boolean isLow(int server) throws InterruptedException {
        return servers.check(server, VISITOR)
                .headers()
                .firstValue("RateLimit-Policy")
                .orElse("")
                .contains(";q=" + LOW + ";");
    }

    private boolean isBanned(int server, String user) throws InterruptedException {
        return servers.check(server, user).statusCode() == FORBIDDEN;
    }

    /** Whether a report shows that the version in force is kept. Each server has one report; their order is that of their names. */
    private boolean isRejected(int server, String inForce) {
        List<PolicyInstance> instances = store.instances();
        return server < instances.size()
                && instances.get(server).rejected().isPresent()
                && instances.get(server).version().equals(inForce);
    }

    /** Changes something, waits until all servers show the effect, and prints the times. */
    private void step(String name, Runnable change, Effect effect) throws InterruptedException {
        long start = System.nanoTime();
        change.run();
        List<Double> millis = awaitAll(effect, start);
        applied &= millis.size() == servers.count();
        line("%-55s %d of %d servers%s"
                .formatted(
                        name,
                        millis.size(),
                        servers.count(),
                        millis.isEmpty()
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        ", median %.0f ms, maximum %.0f ms",
                                        millis.get(millis.size() / 2),
                                        millis.get(millis.size() - 1))));
    }

    /** Returns the sorted times of the servers that show the effect. A thread for each, so that a slow one does not delay the others. */
    private List<Double> awaitAll(Effect effect, long start) throws InterruptedException {
        List<Callable<Optional<Double>>> waits = new ArrayList<>();
        for (int i = 0; i < servers.count(); i++) {
            int server = i;
            waits.add(() -> await(effect, server, start));
        }
        return pollers.invokeAll(waits).stream()
                .flatMap(wait -> result(wait).stream())
                .sorted()
                .toList();
    }

    /** Returns the milliseconds until the server shows the effect; empty if it does not in time, or a signal arrives. */
    private Optional<Double> await(Effect effect, int server, long start) throws InterruptedException {
        while (System.nanoTime() - start < LONGEST.toNanos() && !stop.isSignalled()) {
            if (effect.isShownBy(server)) {
                return Optional.of((System.nanoTime() - start) / (double) TimeUnit.MILLISECONDS.toNanos(1));
            }
            stop.await(POLL_INTERVAL);
        }
        return Optional.empty();
    }

    private static <T> T result(Future<T> done) {
        try {
            return done.get();
        } catch (ExecutionException | InterruptedException e) {
            throw StartException.failed("a server of the demo failed: " + e.getCause());
        }
    }

    @Override
    public void close() {
        pollers.shutdownNow();
    }

    private void line(String text) {
        out.println(text);
        out.flush();
    }

    private static PolicyDocument text(int permits, String dimension) {
        PolicyDocument.Text text = new PolicyDocument.Text("api.yaml", """
                policies:
                  api:
                    rules:
                      limit: { by: %s, sliding-window: { permits: %d, window: 1m } }
                """.formatted(dimension, permits));
        return new PolicyDocument("new", List.of(text));
    }

    /** Writes a version as it is; headgate policy apply would check it first, and refuse the one that servers reject. */
    private static void write(PolicyStore store, PolicyDocument document, String reason) {
        Optional<String> replaces = current(store).map(PolicyVersion::version);
        store.apply(new PolicyUpdate(document.texts(), replaces, "demo", reason));
    }

    private static Optional<PolicyVersion> current(PolicyStore store) {
        return store.history(1).stream().findFirst();
    }
}
