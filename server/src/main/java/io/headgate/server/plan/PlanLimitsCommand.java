package io.headgate.server.plan;

import io.headgate.config.ConfigException;
import io.headgate.config.Policies;
import io.headgate.config.PolicyFile;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Policy;
import io.headgate.redis.capacity.CapacityPlan;
import io.headgate.server.cli.Answer;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.text.Quoted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code headgate plan limits}: keys, memory, commands and bytes of limits, from how many ids there are and ask. */
@Command(
        name = "limits",
        description = "Estimates the keys, memory, commands and bytes per second that limits need in Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "It needs no Redis; with --redis, it reads only the memory allocator. Its assumptions are printed below the table; docs/operations.md describes the accuracy.",
            "Exit codes: 0 planned, 1 the given Redis does not answer, 2 wrong command line or policies."
        })
final class PlanLimitsCommand implements Callable<Integer> {

    private static final String ALL = "";

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

    @Option(
            names = "--ids",
            paramLabel = "DIMENSION=N",
            description =
                    "The number of different ids of a dimension, such as user=100000; once for each dimension. user,ip=N is the number of combinations for a rule by user and ip; by default, all of them.")
    private List<String> ids = new ArrayList<>();

    @Option(names = "--users", paramLabel = "N", description = "The same as --ids user=N.")
    private Optional<String> users = Optional.empty();

    @Option(
            names = "--rate",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Requests a second, of each policy; ${DEFAULT-VALUE} by default.")
    private String rate = "1000";

    @Option(
            names = "--held",
            paramLabel = "TIME",
            description =
                    "The average time for which a hold is kept, such as 2s, or exports=5m for one policy; required for in-flight limits.")
    private List<String> held = new ArrayList<>();

    @Option(
            names = "--instances",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "The number of instances that share the requests; affects leased policies and holds; ${DEFAULT-VALUE} by default.")
    private String instances = "1";

    @Option(
            names = "--active",
            paramLabel = "SHARE",
            defaultValue = "1",
            description =
                    "The share of the ids that sends all requests, more than 0 and up to 1; ${DEFAULT-VALUE} by default.")
    private String active = "1";

    @Option(
            names = "--id-length",
            paramLabel = "N",
            description = "Characters of an id; user=36 for one dimension; 16 by default.")
    private List<String> idLengths = new ArrayList<>();

    @Option(
            names = "--request-ids",
            paramLabel = "SHARE",
            description = "The share of requests with a request id, up to 1; none by default.")
    private Optional<String> requestIds = Optional.empty();

    @Option(
            names = "--request-id-length",
            paramLabel = "N",
            defaultValue = "36",
            description = "Characters of a request id, up to 128; ${DEFAULT-VALUE} by default.")
    private String requestIdLength = "36";

    @Option(
            names = "--request-id-horizon",
            paramLabel = "TIME",
            defaultValue = "1m",
            converter = PlanTime.class,
            description = "How long the decision of a request id is kept, from 1s to 1d; ${DEFAULT-VALUE} by default.")
    private Duration requestIdHorizon = Duration.ofMinutes(1);

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
                    "Read the allocator of this Redis (MEMORY MALLOC-STATS); by default, that of most distributions, which takes slightly more than Redis's own build.")
    private Optional<String> redis = Optional.empty();

    @Mixin
    private Answer answer = new Answer();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public Integer call() {
        Policies read = read();
        Policies planned = planned(read);
        PlannedMemory memory = memory();
        CapacityPlan plan = plan(planned, memory);
        PlanTable table = new PlanTable(plan, active, memory);
        answer.print(table.json(), table.lines());
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
                return only(limit.get());
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

    private static Policies only(String limit) {
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
            CapacityPlan.Builder builder = CapacityPlan.builder()
                    .keyPrefix(keyPrefix)
                    .mallocStats(memory.mallocStats())
                    .requestsPerSecond(decimal("--rate", rate))
                    .instances((int) whole("--instances", instances, 100_000))
                    .activeShare(decimal("--active", active));
            planned.forEach(builder::policy);
            tellHeld(builder, planned.inFlight());
            requestIds.ifPresent(share -> builder.requestIds(
                    decimal("--request-ids", share),
                    (int) whole("--request-id-length", requestIdLength, 128),
                    requestIdHorizon));
            Set<String> told = new LinkedHashSet<>();
            users.ifPresent(count -> tell(builder, told, "--users", Attributes.USER, count));
            for (String given : ids) {
                String[] parts = parts("--ids", given);
                tell(builder, told, "--ids", parts[0], parts[1]);
            }
            for (String given : idLengths) {
                String[] parts = given.contains("=") ? parts("--id-length", given) : new String[] {given};
                int length = (int) whole("--id-length", parts[parts.length - 1], 10_000);
                if (parts.length == 1) {
                    builder.idLength(length);
                } else {
                    requireDimension("--id-length", parts[0], planned);
                    builder.idLength(parts[0], length);
                }
            }
            told.forEach(dimensions ->
                    List.of(dimensions.split(",")).forEach(dimension -> requireDimension("--ids", dimension, planned)));
            return builder.build();
        } catch (IllegalArgumentException e) {
            String hint = String.valueOf(e.getMessage()).endsWith("not given") ? ": --ids DIMENSION=N" : "";
            throw wrong(e.getMessage() + hint);
        }
    }

    private void tell(CapacityPlan.Builder builder, Set<String> told, String option, String dimensions, String count) {
        if (!told.add(dimensions)) {
            throw wrong("the ids of " + dimensions + " are given twice");
        }
        builder.ids(List.of(dimensions.split(",")), whole(option, count, CapacityPlan.MAX_IDS));
    }

    private void tellHeld(CapacityPlan.Builder builder, List<InFlightPolicy> inFlight) {
        Map<String, Duration> byPolicy = new LinkedHashMap<>();
        for (String given : held) {
            String[] parts = given.contains("=") ? parts("--held", given) : new String[] {ALL, given};
            if (byPolicy.put(parts[0], time(parts[1])) != null) {
                throw wrong("--held is given twice" + (parts[0].equals(ALL) ? "" : " for " + parts[0]));
            }
        }
        Optional<Duration> ofAll = Optional.ofNullable(byPolicy.remove(ALL));
        for (InFlightPolicy policy : inFlight) {
            Duration time = Optional.ofNullable(byPolicy.remove(policy.name()))
                    .or(() -> ofAll)
                    .orElseThrow(() -> wrong("policy " + policy.name()
                            + " has in-flight limits; give the average time of a hold: --held TIME"));
            builder.inFlight(policy, time);
        }
        if (!byPolicy.isEmpty() || (ofAll.isPresent() && inFlight.isEmpty())) {
            throw wrong("--held: no policy "
                    + byPolicy.keySet().stream()
                            .findFirst()
                            .map(name -> Quoted.of(name) + " ")
                            .orElse("")
                    + "of in-flight limits is planned");
        }
    }

    private Duration time(String given) {
        try {
            return new PlanTime().convert(given);
        } catch (TypeConversionException e) {
            throw wrong("--held: " + e.getMessage());
        }
    }

    private void requireDimension(String option, String dimension, Policies planned) {
        Set<String> all = new LinkedHashSet<>();
        planned.forEach(one -> all.addAll(one.dimensions()));
        planned.inFlight().forEach(one -> all.addAll(one.dimensions()));
        if (!all.contains(dimension)) {
            throw wrong(
                    option + ": no rule counts by " + Quoted.of(dimension) + "; there are " + String.join(", ", all));
        }
    }

    private String[] parts(String option, String given) {
        int equals = given.indexOf('=');
        if (equals < 1) {
            throw wrong(option + ": " + Quoted.of(given) + " is not such as user=100000");
        }
        return new String[] {given.substring(0, equals), given.substring(equals + 1)};
    }

    private long whole(String option, String given, long max) {
        OptionalLong number = OptionalLong.empty();
        try {
            number = OptionalLong.of(Long.parseLong(given.replace("_", "")));
        } catch (NumberFormatException e) {
            // Said below, like a number out of range.
        }
        return number.stream()
                .filter(n -> n >= 1 && n <= max)
                .findAny()
                .orElseThrow(() -> wrong(option + ": " + Quoted.of(given) + " is not a whole number from 1 to " + max));
    }

    private double decimal(String option, String given) {
        try {
            return Double.parseDouble(given.replace("_", ""));
        } catch (NumberFormatException e) {
            throw wrong(option + ": " + Quoted.of(given) + " is not a number");
        }
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
