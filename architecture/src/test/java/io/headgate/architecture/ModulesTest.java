package io.headgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which module and which package may depend on which, and which types are public. */
class ModulesTest {

    private static final String[] JDK = {"java..", "org.jspecify.annotations.."};

    private static final String SERVER = "io.headgate.server";

    private static final JavaClasses HEADGATE = Modules.allClasses();

    @Test
    void limits_know_nothing_but_the_jdk() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.limits..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(JDK, "io.headgate.limits..")));
    }

    @Test
    void redis_knows_limits_queues_and_its_driver() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.redis..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "io.headgate.redis..",
                        "io.headgate.limits..",
                        "io.headgate.queues..",
                        "io.lettuce..",
                        "io.netty..")));
    }

    @Test
    void config_knows_limits_and_its_parser() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.config..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(JDK, "io.headgate.config..", "io.headgate.limits", "org.snakeyaml.engine..")));
    }

    @Test
    void nobody_else_looks_inside_redis() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.redis.internal..", "io.headgate.redis.inflight..", "io.headgate.redis.writes.."));
    }

    @Test
    void the_halves_of_redis_know_nothing_of_each_other() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.headgate.redis.limits..", "io.headgate.redis.inflight..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.redis.queues..", "io.headgate.redis.writes..", "io.headgate.queues.."));
        check(noClasses()
                .that()
                .resideInAnyPackage(
                        "io.headgate.redis.queues..",
                        "io.headgate.redis.streams..",
                        "io.headgate.redis.writes..",
                        "io.headgate.queues..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.redis.limits..", "io.headgate.redis.inflight..", "io.headgate.limits.."));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.redis.internal..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.limits..", "io.headgate.queues.."));
    }

    @Test
    void queues_know_nothing_but_the_jdk() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.queues..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(JDK, "io.headgate.queues..")));
    }

    @Test
    void only_the_engines_look_inside_limits() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.limits..", "io.headgate.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.headgate.limits.internal.."));
    }

    @Test
    void of_redis_only_the_engines_and_their_plans_are_for_users() {
        check(
                classes()
                        .that()
                        .resideInAnyPackage("io.headgate.redis.limits", "io.headgate.redis.queues")
                        .and()
                        .arePublic()
                        .and()
                        .areTopLevelClasses()
                        .should()
                        .haveNameMatching(
                                ".*\\.(RedisLimits|RedisHotKeys|RedisQueues|CapacityPlan|RuleCapacity|RequestIdCapacity|InFlightCapacity|QueuePlan|QueueContent|QueueCalls|PassedTime)"));
    }

    @Test
    void no_module_depends_on_itself_in_a_circle() {
        check(SlicesRuleDefinition.slices()
                .matching("io.headgate.(*)..")
                .should()
                .beFreeOfCycles());
    }

    @Test
    void the_test_kit_depends_on_the_contracts_of_the_engines_only() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.redis..", "io.headgate.config..", "io.headgate.server..", "io.lettuce.."));
    }

    @Test
    void benchmarks_use_the_engines_as_users_do() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.bench..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.limits.internal..", "io.headgate.server..", "io.headgate.config.."));
        // The only class of bench in a package of another module: it sets a time that the engine offers to tests only.
        assertThat(Modules.classes("bench").stream()
                        .filter(type -> !type.getPackageName().startsWith("io.headgate.bench"))
                        .map(JavaClass::getSimpleName)
                        .filter(name -> !name.equals("package-info")))
                .containsExactly("PassedTime");
    }

    @Test
    void examples_use_only_what_is_for_users() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.examples..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.limits.internal..",
                        "io.headgate.queues.internal..",
                        "io.headgate.redis.internal..",
                        "io.headgate.testkit..",
                        "io.headgate.server.."));
    }

    @Test
    void the_rooms_of_the_server_know_only_those_below_them() {
        Map<String, List<String>> below = new LinkedHashMap<>();
        below.put("text", List.of());
        below.put("cli", List.of("text"));
        below.put("redis", List.of("cli", "text"));
        below.put("operators", List.of("cli", "text"));
        below.put("http", List.of("operators", "text"));
        below.put("net", List.of("http"));
        below.put("limits", List.of("http", "text"));
        below.put("holds", List.of("limits", "http", "text"));
        below.put("queues", List.of("text"));
        below.put("queues.http", List.of("queues", "http", "text"));
        below.put("queues.cli", List.of("queues", "operators", "redis", "cli", "text"));
        below.put("top", List.of("redis", "http", "cli", "text"));
        below.put("serve", List.of("top", "limits", "holds", "queues.http", "net", "redis", "http", "cli", "text"));
        below.put("demo", List.of("serve", "limits", "cli", "text"));
        below.put("doctor", List.of("redis", "cli", "text"));
        below.put("plan", List.of("redis", "cli", "text"));
        checkLayers(SERVER, below);
    }

    @Test
    void of_the_server_only_what_another_room_needs_is_public() {
        check(classes()
                .that()
                .resideInAPackage(SERVER + "..")
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .and()
                .doNotHaveFullyQualifiedName(SERVER + ".Main")
                .and()
                .doNotHaveFullyQualifiedName(SERVER + ".OneLinePerMinute") // known in logback.xml
                .should(new ArchCondition<>("be known in another room") {
                    @Override
                    public void check(JavaClass one, ConditionEvents events) {
                        boolean known = HEADGATE.stream()
                                .filter(it -> it.equals(one) || it.getName().startsWith(one.getName() + "$"))
                                .flatMap(it -> it.getDirectDependenciesToSelf().stream())
                                .anyMatch(use ->
                                        !use.getOriginClass().getPackage().equals(one.getPackage()));
                        events.add(new SimpleConditionEvent(one, known, one.getName() + " is known in its room only"));
                    }
                }));
    }

    @Test
    void libraries_leave_the_standard_streams_alone() {
        check(noClasses()
                .that()
                .resideInAnyPackage("io.headgate.limits..", "io.headgate.redis..", "io.headgate.config..")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err"));
    }

    /** Each package below the root with those that it may depend on, which stand above it, so that there is no cycle. */
    private static void checkLayers(String root, Map<String, List<String>> below) {
        Set<String> packages = HEADGATE.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(root + "."))
                .map(name -> name.substring(root.length() + 1))
                .collect(Collectors.toSet());
        assertThat(below.keySet()).containsExactlyInAnyOrderElementsOf(packages);
        List<String> all = List.copyOf(below.keySet());
        below.forEach((name, known) -> {
            assertThat(all.subList(0, all.indexOf(name)))
                    .as("what " + name + " depends on stands above it in this list, so that there is no cycle")
                    .containsAll(known);
            check(noClasses()
                    .that()
                    .resideInAPackage(root + "." + name)
                    .should()
                    .dependOnClassesThat(resideInAPackage(root + "..")
                            .and(not(resideInAPackage(root + "." + name)))
                            .and(not(resideInAnyPackage(known.stream()
                                    .map(other -> root + "." + other)
                                    .toArray(String[]::new))))));
        });
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(false).check(HEADGATE);
    }

    private static String[] with(String[] some, String... more) {
        String[] all = java.util.Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }
}
