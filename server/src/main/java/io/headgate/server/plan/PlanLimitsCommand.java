package io.headgate.server.plan;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.redis.capacity.CapacityPlan;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.text.Quoted;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code headgate plan limits}: estimates keys, memory, commands and bytes of limits from the policies and their traffic. */
@Command(
        name = "limits",
        description = "Estimates the keys, memory, commands and bytes per second that limits need in Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "It needs no Redis; with --redis, it reads only the memory allocator. Its assumptions are printed below the table; docs/operations.md describes the accuracy.",
            "Exit codes: 0 planned, 1 the given Redis does not reply or rejects the call, 2 wrong command line or policies."
        })
final class PlanLimitsCommand implements Callable<Integer> {

    @Option(names = "--policies", paramLabel = "FILE", description = "The policies, as YAML. This or --limit.")
    private Optional<Path> policies = Optional.empty();

    @Option(names = "--policy", paramLabel = "NAME", description = "With --policies: only this one of them.")
    private Optional<String> policy = Optional.empty();

    @Option(
            names = "--limit",
            paramLabel = "LIMIT",
            description = "One limit by user, written as in a file of policies, such as"
                    + " 'sliding-window: { permits: 100, window: 1m }'.")
    private Optional<String> limit = Optional.empty();

    @Mixin
    private TrafficOptions traffic = new TrafficOptions();

    @Option(
            names = "--key-prefix",
            paramLabel = "PREFIX",
            defaultValue = "hg",
            description = "The prefix of every key; ${DEFAULT-VALUE} by default.")
    private String keyPrefix = "hg";

    @Option(
            names = "--redis",
            paramLabel = "URL",
            description =
                    "Plan for the allocator of this Redis, read with MEMORY MALLOC-STATS. By default, plans for that of most distributions, which takes up to 18 %% more for small keys than that of Redis's own build.")
    private Optional<String> redis = Optional.empty();

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        Policies planned = planned(read());
        PlannedMemory memory = memory();
        PlanTable table = new PlanTable(plan(planned, memory), traffic.activeShare(), memory);
        output.print(table.json(), table.lines());
        return CommandLine.ExitCode.OK;
    }

    private Policies read() {
        if (policies.isPresent() == limit.isPresent()) {
            throw wrong("give either --policies FILE or --limit LIMIT");
        }
        if (limit.isPresent() && policy.isPresent()) {
            throw wrong("--policy needs --policies");
        }
        try {
            if (limit.isPresent()) {
                return policyWith(limit.get());
            }
            return PolicyFile.read(policies.get());
        } catch (ConfigException | IllegalArgumentException e) {
            throw StartException.wrongInput(String.valueOf(e.getMessage()));
        }
    }

    private Policies planned(Policies read) {
        if (policy.isEmpty()) {
            return read;
        }
        String name = policy.get();
        List<Policy> one = read.find(name).map(List::of).orElse(List.of());
        List<InFlightPolicy> inFlight = read.findInFlight(name).map(List::of).orElse(List.of());
        if (one.isEmpty() && inFlight.isEmpty()) {
            throw StartException.wrongInput(
                    "there is no policy " + Quoted.of(name) + "; there are " + String.join(", ", names(read)));
        }
        return Policies.of(one, inFlight);
    }

    private static List<String> names(Policies read) {
        return Stream.concat(
                        read.list().stream().map(Policy::name),
                        read.inFlight().stream().map(InFlightPolicy::name))
                .toList();
    }

    private static Policies policyWith(String limit) {
        String yaml = "policies: { plan: { rules: { limit: { by: user, " + limit.strip() + " } } } }";
        return PolicyFile.parse(yaml, "--limit");
    }

    private PlannedMemory memory() {
        try {
            return redis.map(PlannedMemory::of).orElseGet(PlannedMemory::ofAny);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private CapacityPlan plan(Policies planned, PlannedMemory memory) {
        try {
            CapacityPlan.Builder builder =
                    CapacityPlan.builder().keyPrefix(keyPrefix).mallocStats(memory.mallocStats());
            traffic.addTo(builder, planned);
            return builder.build();
        } catch (IllegalArgumentException e) {
            String hint = String.valueOf(e.getMessage()).endsWith("not given") ? ": --ids DIMENSION=N" : "";
            throw wrong(e.getMessage() + hint);
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
