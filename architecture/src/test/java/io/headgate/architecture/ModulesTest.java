package io.headgate.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The permitted dependencies between modules and packages, and the types that may be public. */
class ModulesTest {

    private static final String[] JDK = {"java..", "org.jspecify.annotations.."};

    private static final String SERVER = "io.headgate.server";
    private static final String REDIS = "io.headgate.redis";

    /** The packages for users; every other package of a library has {@code internal} in its name, and may change at any time. */
    private static final String[] API = {
        "io.headgate.limits",
        "io.headgate.limits.bans",
        "io.headgate.limits.combined",
        "io.headgate.limits.hotkeys",
        "io.headgate.queues",
        "io.headgate.queues.inspect",
        "io.headgate.queues.streams",
        "io.headgate.queues.worker",
        "io.headgate.redis",
        "io.headgate.redis.audit",
        "io.headgate.redis.limits",
        "io.headgate.redis.queues",
        "io.headgate.redis.capacity",
        "io.headgate.redis.config",
        "io.headgate.config",
        "io.headgate.config.consul",
        "io.headgate.config.etcd",
        "io.headgate.config.redis",
        "io.headgate.config.settings",
        "io.headgate.config.sources",
        "io.headgate.micrometer",
        "io.headgate.http",
        "io.headgate.http.attributes",
        "io.headgate.spring",
        "io.headgate.spring.annotation",
        "io.headgate.spring.outgoing",
        "io.headgate.spring.queues",
        "io.headgate.spring.operations",
        "io.headgate.spring.web",
        "io.headgate.spring.web.servlet",
        "io.headgate.spring.web.reactive",
        "io.headgate.spring.boot3",
        "io.headgate.spring.boot4",
        "io.headgate.spring.test",
        "io.headgate.spring.gateway"
    };

    private static final String[] LIBRARIES = {
        "io.headgate.micrometer..",
        "io.headgate.limits..",
        "io.headgate.queues..",
        "io.headgate.redis..",
        "io.headgate.config..",
        "io.headgate.http..",
        "io.headgate.spring.."
    };

    private static final JavaClasses HEADGATE = Modules.allClasses();

    @Test
    void limits_depend_on_the_jdk_only() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.limits..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(JDK, "io.headgate.limits..")));
    }

    @Test
    void redis_depends_on_limits_queues_and_its_driver_only() {
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
    void config_depends_on_limits_and_its_parser_and_only_its_stores_and_settings_on_clients() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.config..")
                .and()
                .resideOutsideOfPackages(
                        "io.headgate.config.settings",
                        "io.headgate.config.redis",
                        "io.headgate.config.etcd",
                        "io.headgate.config.consul")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "io.headgate.config",
                        "io.headgate.config.internal..",
                        "io.headgate.config.sources",
                        "io.headgate.limits",
                        "io.headgate.limits.bans",
                        "org.snakeyaml.engine..")));
        check(classes()
                .that()
                .resideInAPackage("io.headgate.config.settings")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "io.headgate.config..",
                        "io.headgate.limits",
                        "io.headgate.limits.hotkeys",
                        "io.headgate.redis",
                        "io.headgate.redis.limits",
                        "io.headgate.redis.queues",
                        "io.lettuce.core")));
        check(classes()
                .that()
                .resideInAPackage("io.headgate.config.redis")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        with(JDK, "io.headgate.config..", "io.headgate.redis", "io.headgate.redis.config")));
        check(classes()
                .that()
                .resideInAPackage("io.headgate.config.etcd")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "javax.net.ssl",
                        "io.headgate.config",
                        "io.headgate.config.etcd",
                        "io.headgate.config.internal.stores",
                        "io.headgate.config.sources",
                        "io.etcd.jetcd..",
                        "io.grpc",
                        "io.netty.handler.ssl")));
        check(classes()
                .that()
                .resideInAPackage("io.headgate.config.consul")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "javax.net.ssl",
                        "io.headgate.config",
                        "io.headgate.config.consul",
                        "io.headgate.config.internal.stores",
                        "io.headgate.config.sources",
                        "org.kiwiproject.consul..")));
    }

    @Test
    void metrics_depend_on_limits_queues_and_sources_of_policies_only() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.micrometer..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "io.headgate.micrometer",
                        "io.headgate.limits",
                        "io.headgate.limits.bans",
                        "io.headgate.queues",
                        "io.headgate.queues.inspect",
                        "io.headgate.queues.worker",
                        "io.headgate.config.sources",
                        "io.micrometer.core.instrument..")));
    }

    @Test
    void a_package_of_a_library_is_public_api_or_internal() {
        check(classes().that().resideInAnyPackage(LIBRARIES).should().resideInAnyPackage(with(API, "..internal..")));
    }

    @Test
    void internal_packages_are_used_only_by_the_engines_except_that_of_decisions() {
        String decisions = "io.headgate.limits.internal.decision";
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.limits..", "io.headgate.redis..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("io.headgate.limits..internal..").and(not(resideInAPackage(decisions)))));
        // Receipts restore decisions, and the test kit builds them for tests.
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.limits..", "io.headgate.redis..", "io.headgate.testkit..")
                .and()
                .doNotHaveFullyQualifiedName("io.headgate.http.Receipt")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(decisions));
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.queues..", "io.headgate.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.headgate.queues..internal.."));
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.headgate.redis..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.headgate.redis..internal.."));
    }

    /** Otherwise the code of users would depend on an internal type. Type arguments are not checked. */
    @Test
    void public_signatures_mention_no_internal_type() {
        check(classes()
                .that()
                .resideInAnyPackage(API)
                .and()
                .arePublic()
                .should(new ArchCondition<>("mention no internal type in public signatures") {
                    @Override
                    public void check(JavaClass one, ConditionEvents events) {
                        Stream<JavaClass> supertypes =
                                Stream.concat(one.getRawInterfaces().stream(), one.getRawSuperclass().stream());
                        Stream<JavaClass> members = one.getMembers().stream()
                                .filter(member -> member.getModifiers().contains(JavaModifier.PUBLIC)
                                        || member.getModifiers().contains(JavaModifier.PROTECTED))
                                .filter(member -> !member.getModifiers().contains(JavaModifier.SYNTHETIC))
                                .flatMap(ModulesTest::mentioned);
                        Stream.concat(supertypes, members)
                                .filter(type -> type.getPackageName().contains(".internal"))
                                .forEach(type -> events.add(SimpleConditionEvent.violated(
                                        one, one.getName() + " mentions " + type.getName())));
                    }
                }));
    }

    private static Stream<JavaClass> mentioned(JavaMember member) {
        if (member instanceof JavaCodeUnit called) {
            return Stream.concat(called.getRawParameterTypes().stream(), Stream.of(called.getRawReturnType()));
        }
        return member instanceof JavaField field ? Stream.of(field.getRawType()) : Stream.of();
    }

    @Test
    void limits_and_queues_in_redis_do_not_depend_on_each_other() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.redis.limits..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.redis.queues..", "io.headgate.queues.."));
        check(noClasses()
                .that()
                .resideInAnyPackage("io.headgate.redis.queues..", "io.headgate.queues..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.redis.limits..", "io.headgate.limits.."));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.redis.internal..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.limits..", "io.headgate.queues.."));
    }

    @Test
    void http_depends_on_limits_and_not_on_the_server() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.http..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        JDK,
                        "io.headgate.http..",
                        "io.headgate.limits",
                        "io.headgate.limits.bans",
                        "io.headgate.limits.combined",
                        "io.headgate.limits.internal.decision")));
    }

    @Test
    void spring_uses_the_public_api_of_the_libraries_and_nothing_else_uses_spring() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.spring..")
                .and()
                // These read and report properties as the policy file is read.
                .haveNameNotMatching(
                        "io\\.headgate\\.spring\\.(PropertyCheck|internal\\.(PropertyValues|Spelling))(\\$.*)?")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(
                        with(JDK, API),
                        "io.headgate.spring..",
                        "io.headgate.testkit",
                        "io.lettuce.core..",
                        "io.micrometer..",
                        "org.springframework..",
                        "org.apache.commons.logging..",
                        "org.aopalliance..",
                        "jakarta.servlet..",
                        "jakarta.validation..",
                        "io.micrometer..",
                        "com.fasterxml.jackson..",
                        "tools.jackson..",
                        "org.reactivestreams..",
                        "reactor..")));
        check(noClasses()
                .that()
                .resideOutsideOfPackage("io.headgate.spring..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.spring..", "org.springframework.."));
    }

    @Test
    void what_both_lines_of_spring_boot_share_does_not_depend_on_the_modules_of_a_line() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.spring.boot3..", "io.headgate.spring.boot4..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.spring.boot3..", "io.headgate.spring.boot4.."));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.spring..")
                .and()
                .resideOutsideOfPackage("io.headgate.spring.test..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.spring.test..", "io.headgate.testkit.."));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.spring")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.headgate.spring.web.."));
    }

    @Test
    void queues_depend_on_the_jdk_only() {
        check(classes()
                .that()
                .resideInAPackage("io.headgate.queues..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(with(JDK, "io.headgate.queues..")));
    }

    /** {@code SimulatedTime} is a class of bench in a package of redis. */
    @Test
    void only_engines_settings_hot_keys_and_plans_are_public_in_redis() {
        check(
                classes()
                        .that()
                        .resideInAnyPackage(
                                "io.headgate.redis",
                                "io.headgate.redis.limits",
                                "io.headgate.redis.queues",
                                "io.headgate.redis.capacity")
                        .and()
                        .arePublic()
                        .and()
                        .areTopLevelClasses()
                        .should()
                        .haveNameMatching(
                                ".*\\.(RedisSettings|RedisLimitEngine|RedisHotKeys|RedisQueueEngine|CapacityPlan|RuleCapacity|RequestIdCapacity|InFlightCapacity|QueuePlan|QueueContent|QueueCalls|SimulatedTime)"));
    }

    @Test
    void modules_have_no_cyclic_dependencies() {
        check(SlicesRuleDefinition.slices()
                .matching("io.headgate.(*)..")
                .should()
                .beFreeOfCycles());
    }

    @Test
    void the_test_kit_does_not_depend_on_engines_on_redis_config_the_server_or_lettuce() {
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
                .resideInAnyPackage("io.headgate..internal..", "io.headgate.server.."));
        // The only class of bench in a package of another module: it calls a package-private method of the engine.
        assertThat(Modules.classes("bench").stream()
                        .filter(type -> !type.getPackageName().startsWith("io.headgate.bench"))
                        .map(JavaClass::getSimpleName)
                        .filter(name -> !name.equals("package-info")))
                .containsExactly("SimulatedTime");
    }

    @Test
    void examples_use_only_public_api() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.examples..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate..internal..", "io.headgate.testkit..", "io.headgate.server.."));
    }

    @Test
    void the_packages_of_redis_depend_only_on_those_below_them() {
        String script = "internal.script";
        String settings = ""; // the root package
        String connection = "internal.connection";
        String cluster = "internal.cluster";
        String auditStreams = "internal.audit";
        String planner = "limits.internal.planner";
        String denials = "limits.internal.denials";
        String inflight = "limits.internal.inflight";
        String calls = "limits.internal.calls";
        String fallback = "limits.internal.fallback";
        String leases = "limits.internal.leases";
        String job = "queues.internal.job";
        String audit = "queues.internal.audit";
        String durability = "queues.internal.durability";
        String stream = "queues.internal.stream";
        String bans = "limits.internal.bans";
        String queue = "queues.internal.queue";
        String shards = "queues.internal.shards";
        Map<String, List<String>> below = new LinkedHashMap<>();
        below.put(script, List.of());
        below.put(settings, List.of(script));
        below.put(connection, List.of(settings, script));
        below.put(cluster, List.of(connection, script));
        below.put("config", List.of(cluster, connection, settings, script));
        below.put(auditStreams, List.of(script));
        below.put("audit", List.of(auditStreams, cluster, connection, settings, script));
        below.put(planner, List.of(script));
        below.put(denials, List.of(planner, connection, script));
        below.put(bans, List.of(planner, connection, script));
        below.put(inflight, List.of(connection, script));
        below.put(calls, List.of(denials, planner, cluster, connection, script));
        below.put(fallback, List.of(calls, denials, inflight, planner, connection, script));
        below.put(leases, List.of(calls, denials, planner, connection));
        below.put("limits.internal", List.of(fallback, leases, calls, bans, denials, planner, connection));
        below.put(
                "limits",
                List.of(
                        "limits.internal",
                        "audit",
                        auditStreams,
                        fallback,
                        leases,
                        calls,
                        inflight,
                        bans,
                        denials,
                        planner,
                        cluster,
                        connection,
                        settings,
                        script));
        below.put(job, List.of(connection, script));
        below.put(audit, List.of(job, script));
        below.put(durability, List.of(cluster, connection, script));
        below.put(stream, List.of(durability, connection, script));
        below.put(queue, List.of(stream, durability, audit, job, connection, script));
        below.put(shards, List.of(queue, stream, durability, job, connection, script));
        below.put("queues", List.of(shards, queue, stream, durability, job, cluster, connection, settings, script));
        below.put("capacity", List.of(leases, inflight, planner, job, connection, settings, script));
        checkLayers(REDIS, below);
    }

    @Test
    void in_limits_in_flight_and_memory_are_above_algorithms_and_waiting_and_hot_keys_above_all_four() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.limits.internal.algorithm")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.limits.internal.memory",
                        "io.headgate.limits.internal.waiting",
                        "io.headgate.limits.internal.inflight",
                        "io.headgate.limits.hotkeys"));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.limits.internal.waiting")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.limits.internal.memory",
                        "io.headgate.limits.internal.inflight",
                        "io.headgate.limits.internal.algorithm",
                        "io.headgate.limits.hotkeys"));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.limits.internal.inflight")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.headgate.limits.internal.memory",
                        "io.headgate.limits.internal.algorithm",
                        "io.headgate.limits.hotkeys"));
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.limits.internal.memory")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.headgate.limits.internal.inflight", "io.headgate.limits.hotkeys"));
    }

    @Test
    void the_packages_of_the_server_depend_only_on_those_below_them() {
        Map<String, List<String>> below = new LinkedHashMap<>();
        below.put("text", List.of());
        below.put("cli", List.of("text"));
        below.put("redis", List.of("cli", "text"));
        below.put("etcd", List.of("cli", "text"));
        below.put("consul", List.of("cli", "text"));
        below.put("audit", List.of("cli", "text"));
        below.put("operators", List.of("cli", "text"));
        below.put("http", List.of("audit", "operators", "text"));
        below.put("audit.read", List.of("audit", "http", "operators", "redis", "cli", "text"));
        below.put("net", List.of("http", "operators"));
        below.put("bans", List.of("audit", "http", "operators", "redis", "cli", "text"));
        below.put("limits", List.of("bans", "audit", "http", "text"));
        below.put("holds", List.of("bans", "limits", "http", "text"));
        below.put("queues", List.of("audit", "text"));
        below.put("queues.http", List.of("queues", "audit", "http", "operators", "text"));
        below.put("queues.cli", List.of("queues", "audit", "redis", "cli", "text"));
        below.put("top", List.of("redis", "http", "operators", "cli", "text"));
        below.put(
                "policies", List.of("limits", "audit", "http", "operators", "redis", "etcd", "consul", "cli", "text"));
        below.put(
                "serve",
                List.of(
                        "top",
                        "limits",
                        "bans",
                        "holds",
                        "policies",
                        "audit",
                        "audit.read",
                        "queues.http",
                        "net",
                        "redis",
                        "etcd",
                        "consul",
                        "http",
                        "operators",
                        "cli",
                        "text"));
        below.put("demo", List.of("serve", "limits", "cli", "text"));
        below.put("doctor", List.of("redis", "cli", "text"));
        below.put("plan", List.of("redis", "cli", "text"));
        checkLayers(SERVER, below);
    }

    @Test
    void a_type_of_the_server_is_public_only_if_another_package_uses_it() {
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
                .doNotHaveFullyQualifiedName(SERVER + ".OneLinePerMinute") // used in logback.xml
                .should(new ArchCondition<>("be used in another package") {
                    @Override
                    public void check(JavaClass one, ConditionEvents events) {
                        boolean used = HEADGATE.stream()
                                .filter(it -> it.equals(one) || it.getName().startsWith(one.getName() + "$"))
                                .flatMap(it -> it.getDirectDependenciesToSelf().stream())
                                .anyMatch(use ->
                                        !use.getOriginClass().getPackage().equals(one.getPackage()));
                        events.add(new SimpleConditionEvent(
                                one, used, one.getName() + " is used in its own package only"));
                    }
                }));
    }

    @Test
    void libraries_do_not_use_the_standard_streams() {
        check(noClasses()
                .that()
                .resideInAnyPackage(LIBRARIES)
                .should()
                .accessField(System.class, "in")
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err"));
    }

    /**
     * Checks the dependencies of all packages below a root. The map has for each package the packages that it may depend on; they must
     * come before it in the map, so that there is no cycle. An empty name means the root itself.
     */
    private static void checkLayers(String root, Map<String, List<String>> below) {
        Set<String> packages = HEADGATE.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> name.startsWith(root + ".") || (name.equals(root) && below.containsKey("")))
                .map(name -> name.equals(root) ? "" : name.substring(root.length() + 1))
                .collect(Collectors.toSet());
        assertThat(below.keySet()).containsExactlyInAnyOrderElementsOf(packages);
        List<String> all = List.copyOf(below.keySet());
        below.forEach((name, known) -> {
            assertThat(all.subList(0, all.indexOf(name)))
                    .as("the packages that " + name + " may depend on come before it, so that there is no cycle")
                    .containsAll(known);
            check(noClasses()
                    .that()
                    .resideInAPackage(below(root, name))
                    .should()
                    .dependOnClassesThat(resideInAPackage(root + "..")
                            .and(not(resideInAPackage(below(root, name))))
                            .and(not(resideInAnyPackage(known.stream()
                                    .map(other -> below(root, other))
                                    .toArray(String[]::new))))));
        });
    }

    private static String below(String root, String name) {
        return name.isEmpty() ? root : root + "." + name;
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
