package io.headgate.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;

/** The house as it is meant: which module may know which, and what of each is for users. */
class ArchitectureTest {

    private static final String[] JDK = {"java..", "org.jspecify.annotations.."};

    private static final JavaClasses HEADGATE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.headgate");

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
                .resideInAnyPackage("io.headgate.redis.internal..", "io.headgate.redis.writes.."));
    }

    @Test
    void the_halves_of_redis_know_nothing_of_each_other() {
        check(noClasses()
                .that()
                .resideInAPackage("io.headgate.redis.limits..")
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
                .resideInAnyPackage("io.headgate.redis.limits..", "io.headgate.limits.."));
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
        check(classes()
                .that()
                .resideInAnyPackage("io.headgate.redis.limits", "io.headgate.redis.queues")
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should()
                .haveNameMatching(
                        ".*\\.(RedisLimits|RedisQueues|CapacityPlan|RuleCapacity|QueuePlan|QueueContent|QueueCalls)"));
    }

    @Test
    void streams_are_made_by_the_engine_of_queues() {
        check(noClasses()
                .that()
                .resideOutsideOfPackages("io.headgate.redis.streams", "io.headgate.redis.queues")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.headgate.redis.streams"));
    }

    @Test
    void no_module_depends_on_itself_in_a_circle() {
        check(SlicesRuleDefinition.slices()
                .matching("io.headgate.(*)..")
                .should()
                .beFreeOfCycles());
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

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(false).check(HEADGATE);
    }

    private static String[] with(String[] some, String... more) {
        String[] all = java.util.Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }
}
