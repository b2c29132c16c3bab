package io.headgate.server.policies;

import io.headgate.config.ConfigException;
import io.headgate.config.sources.PolicyInstance;
import io.headgate.config.sources.PolicyStore;
import io.headgate.config.sources.PolicyVersion;
import io.headgate.server.cli.DurationOption;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.text.Instants;
import io.headgate.server.text.Table;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate policy status}: shows which process runs which version of the policies in Redis, etcd or Consul. */
@Command(
        name = "status",
        description =
                "Shows which servers and applications run the current version of the policies in Redis, etcd or Consul.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Exit codes: 0 all run the current version, 1 some do not, none reports, or the store fails; with --wait, at its end."
        })
final class PolicyStatusCommand implements Callable<Integer> {

    private static final int BEHIND = 1;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);

    @Mixin
    private StoredPolicies stored = new StoredPolicies();

    @Option(
            names = "--wait",
            paramLabel = "TIME",
            arity = "0..1",
            fallbackValue = "60s",
            converter = DurationOption.class,
            description = {
                "Wait until all run the current version, at most so long, from 0ms to 60m such as 30s; ${FALLBACK-VALUE} without a time.",
                "A version that is written meanwhile is then the current one."
            })
    private Optional<Duration> wait = Optional.empty();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() throws InterruptedException {
        try (PolicyStore store = stored.connect()) {
            Running running = wait.isEmpty() ? Running.read(store) : await(store, wait.get());
            Optional<String> behind = running.isCurrent() ? Optional.empty() : wait.map(running::behind);
            Map<String, Object> members = PolicyJson.of(running.current(), running.shadow(), running.instances());
            behind.ifPresent(text -> members.put("waited", text));
            output.print(members, lines(running, behind));
            return running.isCurrent() ? CommandLine.ExitCode.OK : BEHIND;
        } catch (ConfigException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Reads the store until all run the current version, or the time ends. Until then, the store may fail, too. */
    private static Running await(PolicyStore store, Duration time) throws InterruptedException {
        long deadline = System.nanoTime() + time.toNanos();
        while (true) {
            boolean isLast = System.nanoTime() - deadline >= 0;
            try {
                Running running = Running.read(store);
                if (isLast || running.isCurrent()) {
                    return running;
                }
            } catch (ConfigException e) {
                if (isLast) {
                    throw e;
                }
            }
            Thread.sleep(Math.max(1, Math.min(POLL_INTERVAL.toMillis(), (deadline - System.nanoTime()) / 1_000_000)));
        }
    }

    /** The current version, and the processes that use the store. */
    private record Running(Optional<String> current, Optional<PolicyVersion> shadow, List<PolicyInstance> instances) {

        /** Reads the version after the processes, so that no version is compared with reports from before it was replaced. */
        static Running read(PolicyStore store) {
            List<PolicyInstance> instances = store.instances();
            return new Running(
                    store.history(1).stream().map(PolicyVersion::version).findFirst(),
                    store.shadowVersion(),
                    instances);
        }

        boolean isCurrent() {
            return !instances.isEmpty() && instances.stream().allMatch(this::isCurrent);
        }

        boolean isCurrent(PolicyInstance instance) {
            return current.filter(instance.version()::equals).isPresent();
        }

        Optional<String> shadowLine() {
            return shadow.map(version ->
                    "shadow version: " + version.version() + "; headgate policy preview shows who evaluates it");
        }

        String behind(Duration waited) {
            long others =
                    instances.stream().filter(instance -> !isCurrent(instance)).count();
            return "waited " + waited.toMillis() + " ms: "
                    + (instances.isEmpty()
                            ? "no process reports"
                            : others + " of " + instances.size() + " processes do not run the current version");
        }
    }

    private static List<String> lines(Running running, Optional<String> behind) {
        List<String> lines = new ArrayList<>();
        lines.add("current version: " + running.current().orElse("none"));
        running.shadowLine().ifPresent(lines::add);
        if (running.instances().isEmpty()) {
            lines.add("no process reports that it uses these policies");
        } else {
            Table table = new Table()
                    .words("instance")
                    .words("version")
                    .words("since")
                    .words("state");
            for (PolicyInstance instance : running.instances()) {
                table.row(
                        instance.name(),
                        instance.version(),
                        Instants.of(instance.since()),
                        instance.rejected().orElse(running.isCurrent(instance) ? "current" : "another version"));
            }
            lines.addAll(table.lines());
        }
        behind.ifPresent(lines::add);
        return lines;
    }
}
