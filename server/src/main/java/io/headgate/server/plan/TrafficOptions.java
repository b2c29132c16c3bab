package io.headgate.server.plan;

import io.headgate.config.Policies;
import io.headgate.limits.Attributes;
import io.headgate.limits.InFlightPolicy;
import io.headgate.redis.capacity.CapacityPlan;
import io.headgate.server.text.Quoted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options of {@code headgate plan limits} for the expected traffic: ids, requests, holds and request ids. */
final class TrafficOptions {

    /** Stands for all policies in the map of times by policy; no policy has this name. */
    private static final String ALL = "";

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

    /** The share of the ids that sends all requests, as given. */
    String activeShare() {
        return active;
    }

    /**
     * Adds the policies and their traffic to a plan.
     *
     * @throws IllegalArgumentException when an option is not a number or out of range, names an unknown dimension or policy, is given
     *     twice, or is missing
     */
    void addTo(CapacityPlan.Builder plan, Policies planned) {
        plan.requestsPerSecond(decimal("--rate", rate))
                .instances((int) whole("--instances", instances, 100_000))
                .activeShare(decimal("--active", active));
        planned.forEach(plan::policy);
        addHolds(plan, planned.inFlight());
        requestIds.ifPresent(share -> plan.requestIds(
                decimal("--request-ids", share),
                (int) whole("--request-id-length", requestIdLength, 128),
                requestIdHorizon));
        addIds(plan, planned);
        addIdLengths(plan, planned);
    }

    private void addIds(CapacityPlan.Builder plan, Policies planned) {
        Map<String, Long> byDimensions = new LinkedHashMap<>();
        users.ifPresent(count -> put(byDimensions, "--users", Attributes.USER, count));
        for (String given : ids) {
            String[] parts = parts("--ids", given);
            put(byDimensions, "--ids", parts[0], parts[1]);
        }
        byDimensions.forEach((dimensions, count) -> {
            List<String> all = List.of(dimensions.split(","));
            all.forEach(dimension -> requireDimension("--ids", dimension, planned));
            plan.ids(all, count);
        });
    }

    private static void put(Map<String, Long> byDimensions, String option, String dimensions, String count) {
        if (byDimensions.put(dimensions, whole(option, count, CapacityPlan.MAX_IDS)) != null) {
            throw new IllegalArgumentException("the ids of " + dimensions + " are given twice");
        }
    }

    private void addIdLengths(CapacityPlan.Builder plan, Policies planned) {
        for (String given : idLengths) {
            String[] parts = given.contains("=") ? parts("--id-length", given) : new String[] {given};
            int length = (int) whole("--id-length", parts[parts.length - 1], 10_000);
            if (parts.length == 1) {
                plan.idLength(length);
            } else {
                requireDimension("--id-length", parts[0], planned);
                plan.idLength(parts[0], length);
            }
        }
    }

    private void addHolds(CapacityPlan.Builder builder, List<InFlightPolicy> inFlight) {
        Map<String, Duration> byPolicy = new LinkedHashMap<>();
        for (String given : held) {
            String[] parts = given.contains("=") ? parts("--held", given) : new String[] {ALL, given};
            if (byPolicy.put(parts[0], time(parts[1])) != null) {
                throw new IllegalArgumentException(
                        "--held is given twice" + (parts[0].equals(ALL) ? "" : " for " + parts[0]));
            }
        }
        Optional<Duration> ofAll = Optional.ofNullable(byPolicy.remove(ALL));
        for (InFlightPolicy policy : inFlight) {
            Duration time = Optional.ofNullable(byPolicy.remove(policy.name()))
                    .or(() -> ofAll)
                    .orElseThrow(() -> new IllegalArgumentException("policy " + policy.name()
                            + " has in-flight limits; give the average time of a hold: --held TIME"));
            builder.inFlight(policy, time);
        }
        if (!byPolicy.isEmpty() || (ofAll.isPresent() && inFlight.isEmpty())) {
            throw new IllegalArgumentException("--held: no policy "
                    + byPolicy.keySet().stream()
                            .findFirst()
                            .map(name -> Quoted.of(name) + " ")
                            .orElse("")
                    + "of in-flight limits is planned");
        }
    }

    private static Duration time(String given) {
        try {
            return new PlanTime().convert(given);
        } catch (TypeConversionException e) {
            throw new IllegalArgumentException("--held: " + e.getMessage());
        }
    }

    private static void requireDimension(String option, String dimension, Policies planned) {
        Set<String> all = new LinkedHashSet<>();
        planned.forEach(one -> all.addAll(one.dimensions()));
        planned.inFlight().forEach(one -> all.addAll(one.dimensions()));
        if (!all.contains(dimension)) {
            throw new IllegalArgumentException(
                    option + ": no rule counts by " + Quoted.of(dimension) + "; there are " + String.join(", ", all));
        }
    }

    private static String[] parts(String option, String given) {
        int equals = given.indexOf('=');
        if (equals < 1) {
            throw new IllegalArgumentException(
                    option + ": " + Quoted.of(given) + " is not NAME=VALUE, such as user=100000");
        }
        return new String[] {given.substring(0, equals), given.substring(equals + 1)};
    }

    private static long whole(String option, String given, long max) {
        OptionalLong number = OptionalLong.empty();
        try {
            number = OptionalLong.of(Long.parseLong(given.replace("_", "")));
        } catch (NumberFormatException e) {
            // Reported below, as a number out of range.
        }
        return number.stream()
                .filter(n -> n >= 1 && n <= max)
                .findAny()
                .orElseThrow(() -> new IllegalArgumentException(
                        option + ": " + Quoted.of(given) + " is not a whole number from 1 to " + max));
    }

    private static double decimal(String option, String given) {
        try {
            return Double.parseDouble(given.replace("_", ""));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(option + ": " + Quoted.of(given) + " is not a number");
        }
    }
}
